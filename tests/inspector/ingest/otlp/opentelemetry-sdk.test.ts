import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { expect, onTestFinished, test } from "vitest"
import type { Json } from "#tests/protocol/otlp/requests.ts"
import { cleanEnvironment } from "#tests/support/running-app.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { startInspector } from "#tests/inspector/ingest/running-inspector.ts"

const PROGRAM = fileURLToPath(new URL("opentelemetry-program.ts", import.meta.url))

async function runProgram(environment: Record<string, string>): Promise<void> {
  const child = spawn(process.execPath, ["--import", "tsx", PROGRAM], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...cleanEnvironment(), ...environment } as unknown as NodeJS.ProcessEnv,
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  const [code] = await once(child, "exit")
  expect(code).toBe(0)
}

test("the default exports of OpenTelemetry's Node SDK are stored: the trace, and its exception as an error; metrics are counted as unsupported", async () => {
  const running = await startInspector()
  await runProgram({
    OTEL_EXPORTER_OTLP_ENDPOINT: running.url,
    OTEL_METRICS_EXPORTER: "otlp",
    OTEL_SERVICE_NAME: "shop",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
  })
  const trace = await waitFor("the trace", async () => {
    const { traces } = await running.read("/api/traces")
    return traces[0]?.spanCount === 2 && traces[0]
  })
  expect(trace).toMatchObject({ name: "checkout", services: ["shop"], sources: ["otlp"] })
  const { resourceSpans } = await running.read(`/api/traces/${trace.traceId}`)
  const spans = resourceSpans.flatMap(({ scopeSpans }: Json) => scopeSpans.flatMap((scope: Json) => scope.spans))
  const byName = Object.fromEntries(spans.map((span: Json) => [span.name, span]))
  expect(byName["pay"]).toMatchObject({
    parentSpanId: byName["checkout"].spanId,
    status: { code: 2, message: "no such cart" },
    attributes: [{ key: "rows", value: { intValue: "3" } }],
  })
  const [issue] = await waitFor("the issue", async () => {
    const { issues } = await running.read("/api/errors")
    return issues.length > 0 && issues
  })
  expect(issue).toMatchObject({ title: "TypeError: no such cart", count: 1, lastTraceId: trace.traceId })
  await running.inspector.receiver.drops.flush()
  const { dropped: drops } = await running.read("/api/dropped")
  expect(drops).toMatchObject([{ reason: "unsupported", category: "metric", count: 1 }])
})
