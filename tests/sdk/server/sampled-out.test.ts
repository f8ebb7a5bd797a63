import { context, SpanKind, trace } from "@opentelemetry/api"
import * as Sentry from "@sentry/nextjs"
import { afterAll, beforeAll, expect, test } from "vitest"
import { serverRuntime } from "#otel/sdk/server/runtime.ts"
import { startServer } from "#otel/sdk/server/start.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { RecordingSentry } from "#tests/support/recording-sentry.ts"

let sentry: RecordingSentry
let collector: RecordingCollector

beforeAll(async () => {
  sentry = await new RecordingSentry().listen()
  collector = await new RecordingCollector().listen()
  // OpenTelemetry's own exporter reads its variables by itself.
  Object.assign(process.env, {
    SENTRY_DSN: sentry.dsn,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_TRACES_SAMPLER: "always_off",
  })
  startServer(process.env)
})

afterAll(async () => {
  await sentry?.close()
  await collector?.close()
})

/** What the client will report to Sentry as dropped. */
interface ClientReports {
  _clearOutcomes(): { reason: string; category: string; quantity: number }[]
}

test("traces that nobody takes are not recorded, leave nothing, and are reported to Sentry as dropped", async () => {
  const tracer = trace.getTracer("test")
  for (let count = 0; count < 3; count++)
    tracer.startActiveSpan("GET /items/[id]", { kind: SpanKind.SERVER, root: true }, (root) => {
      tracer.startActiveSpan("render", (span) => expect(span.isRecording()).toBe(false))
      tracer.startSpan("query", {}, trace.setSpan(context.active(), root)).end()
      root.end()
    })
  const outcomes = (Sentry.getClient() as unknown as ClientReports)._clearOutcomes()
  await serverRuntime()?.flush()
  expect([sentry.transactions(), collector.spans()]).toEqual([[], []])
  expect(outcomes.map(({ reason, category, quantity }) => `${reason}/${category}=${quantity}`).toSorted()).toEqual([
    "sample_rate/span=9",
    "sample_rate/transaction=3",
  ])
})
