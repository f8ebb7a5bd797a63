import { expect, test } from "vitest"
import type { Json } from "#tests/protocol/sentry/envelopes.ts"
import { pythonWithSentry } from "#tests/support/interpreters.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { startInspector } from "#tests/inspector/ingest/running-inspector.ts"
import { runProgram } from "./run-program.ts"

test("what Sentry's Python SDK of 2022 sends is stored: gzip, events at the old path, transactions at the new one", async () => {
  const running = await startInspector()
  await runProgram(pythonWithSentry(), "sentry_program.py", `http://any@127.0.0.1:${running.port}/42`)
  const trace = await waitFor("the trace", async () => {
    const { traces } = await running.read("/api/traces")
    return traces.find(({ spanCount }: Json) => spanCount === 2)
  })
  expect(trace).toMatchObject({ name: "checkout", services: ["program"], sources: ["sentry"], errorCount: 0 })
  const { resourceSpans } = await running.read(`/api/traces/${trace.traceId}`)
  const [{ resource, scopeSpans }] = resourceSpans
  expect(resource.attributes).toEqual(
    expect.arrayContaining([
      { key: "telemetry.sdk.name", value: { stringValue: "sentry.python" } },
      { key: "telemetry.sdk.language", value: { stringValue: "python" } },
      { key: "service.version", value: { stringValue: "1.2.3" } },
    ]),
  )
  const spans: Json[] = scopeSpans.flatMap((scope: Json) => scope.spans)
  const root = spans.find(({ name }) => name === "checkout")
  expect(spans.find(({ name }) => name === "SELECT 1")).toMatchObject({
    parentSpanId: root!.spanId,
    attributes: expect.arrayContaining([{ key: "rows", value: { intValue: "3" } }]),
  })
  const [summary] = await waitFor("the issue", async () => {
    const { issues } = await running.read("/api/errors")
    return issues.length > 0 && issues
  })
  expect(summary).toMatchObject({
    title: "ValueError: no such cart",
    lastTraceId: trace.traceId,
    services: ["program"],
  })
  const { events } = await running.read(`/api/errors/${summary.issueId}`)
  expect(events).toMatchObject([
    {
      environment: "test",
      release: "1.2.3",
      tags: expect.arrayContaining([{ key: "area", value: { stringValue: "checkout" } }]),
      exceptions: [
        { type: "ValueError", value: "no such cart" },
        { type: "KeyError", value: "'row 12 is gone'" },
      ],
    },
  ])
  const frames = events[0].exceptions[0].frames
  expect(frames.at(-1)).toMatchObject({
    function: "pay",
    inApp: true,
    context: expect.stringContaining("raise ValueError"),
  })
})
