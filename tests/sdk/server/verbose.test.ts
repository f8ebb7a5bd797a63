import { expect, onTestFinished, test } from "vitest"
import { startApp } from "#tests/sdk/browser/app-under-test.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"

const CALLER = { traceId: "c".repeat(32), spanId: "b".repeat(16) }

test("with NEXT_OTEL_VERBOSE=1, a request continues its caller's trace, with Next's spans of loading code", async () => {
  const collector = await new RecordingCollector().listen()
  onTestFinished(() => collector.close())
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, NEXT_OTEL_VERBOSE: "1" }
  const app = await startApp("server", { environment })
  onTestFinished(async () => void (await app.stop()))
  const headers = { connection: "close", traceparent: `00-${CALLER.traceId}-${CALLER.spanId}-01` }
  await (await fetch(`${app.origin}/dynamic`, { headers })).text()
  await app.stop()
  const spans = collector.spans().filter(({ traceId }) => traceId === CALLER.traceId)
  const [root, ...others] = spans.filter(({ parentSpanId }) => parentSpanId === CALLER.spanId)
  expect(others).toEqual([])
  expect(root?.name).toBe("GET /dynamic")
  expect(spans.map(({ attributes }) => attributes.get("next.span_type"))).toContain("LoadComponents.loadComponents")
})
