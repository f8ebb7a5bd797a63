import { context, SpanKind, trace } from "@opentelemetry/api"
import { afterAll, beforeAll, expect, test } from "vitest"
import { serverRuntime } from "#otel/sdk/server/runtime.ts"
import { startServer } from "#otel/sdk/server/start.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { type Payload, RecordingSentry } from "#tests/support/recording-sentry.ts"

/** The tracer as a server starts it, with real connections to both consumers. */
const TRACES = 1_000
/** Fewer than Sentry's queue can hold, even if all are sampled. */
const AT_ONCE = 50

let sentry: RecordingSentry
let collector: RecordingCollector

beforeAll(async () => {
  sentry = await new RecordingSentry().listen()
  collector = await new RecordingCollector().listen()
  // OpenTelemetry's exporter reads its variables from the environment.
  Object.assign(process.env, {
    SENTRY_DSN: sentry.dsn,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
    OTEL_TRACES_SAMPLER_ARG: "0.5",
  })
  startServer(process.env)
})

afterAll(async () => {
  await sentry?.close()
  await collector?.close()
})

/** A request with two child spans. */
function oneTrace(number: number): string {
  const tracer = trace.getTracer("test")
  const root = tracer.startSpan(`GET /items/${number % 7}`, { kind: SpanKind.SERVER, root: true })
  const below = trace.setSpan(context.active(), root)
  for (const name of ["query", "render"]) tracer.startSpan(name, {}, below).end()
  root.end()
  return root.spanContext().traceId
}

const lineOf = (traceId: string, spanId: string, parent: string | undefined, name: unknown) =>
  `${traceId} ${spanId} ${parent ?? "-"} ${String(name)}`

function inSentry(): string[] {
  return sentry.transactions().flatMap(({ contexts, transaction, spans }) => {
    const { trace_id, span_id, parent_span_id } = contexts.trace
    const children = (spans as Payload[]).map((child) =>
      lineOf(child["trace_id"], child["span_id"], child["parent_span_id"], child["description"]),
    )
    return [lineOf(trace_id, span_id, parent_span_id, transaction), ...children]
  })
}

test(`of ${TRACES} traces Sentry and the collector get the same half, span by span`, async () => {
  const made: string[] = []
  while (made.length < TRACES) {
    for (let count = 0; count < AT_ONCE; count++) made.push(oneTrace(made.length))
    await serverRuntime()?.flush()
  }
  const ofCollector = collector
    .spans()
    .map(({ traceId, spanId, parentSpanId, name }) => lineOf(traceId, spanId, parentSpanId, name))
  expect(inSentry().toSorted()).toEqual(ofCollector.toSorted())
  const sampled = new Set(ofCollector.map((line) => line.slice(0, 32)))
  expect(ofCollector).toHaveLength(sampled.size * 3)
  expect(made.filter((traceId) => sampled.has(traceId))).toHaveLength(sampled.size)
  // Half of a thousand, within six standard deviations.
  expect(Math.abs(sampled.size - TRACES / 2)).toBeLessThan(95)
})
