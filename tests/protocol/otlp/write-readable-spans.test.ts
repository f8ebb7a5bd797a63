import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api"
import { JsonTraceSerializer } from "@opentelemetry/otlp-transformer"
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base"
import { expect, test } from "vitest"
import { decodeTraces } from "#otel/protocol/otlp/decode-traces.ts"
import { formatSpan, formatTracesRequest } from "#otel/protocol/otlp/format-spans.ts"
import { nanoseconds } from "#otel/protocol/records/time.ts"

function sampleSpans() {
  const exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  const root = provider.getTracer("pagespan").startSpan("root", {
    startTime: 1_795_197_507_934.8,
    attributes: {
      text: 'quote " and line\nbreak',
      whole: 3,
      half: 0.5,
      long: 1.6000000005587935,
      yes: true,
      list: ["a", "b"],
      numbers: [1, 2.5],
    },
  })
  const remote = { traceId: "1".repeat(32), spanId: "2".repeat(16), traceFlags: 1, isRemote: true }
  const link = { context: root.spanContext(), attributes: { "sentry.link.type": "previous_trace" } }
  const child = provider
    .getTracer("app", "1.0")
    .startSpan("child", { kind: SpanKind.CLIENT, links: [link] }, trace.setSpanContext(ROOT_CONTEXT, remote))
  child.recordException(new Error("boom"))
  child.setStatus({ code: SpanStatusCode.ERROR, message: "went wrong" })
  child.end()
  root.end(1_795_197_508_934.5)
  return exporter.getFinishedSpans()
}

function spansIn(text: string) {
  const decoded = decodeTraces(new TextEncoder().encode(text), "json", {
    latest: nanoseconds(2n ** 63n - 1n),
    maxSpans: Infinity,
  })
  if (!decoded.ok) throw new Error(decoded.problem)
  expect(decoded.drops).toEqual([])
  return [...decoded.spans].sort((a, b) => a.name.localeCompare(b.name))
}

test("a page's spans are read back completely by the receiver", () => {
  const spans = spansIn(formatTracesRequest(sampleSpans().map((span) => ({ span, text: formatSpan(span) }))))
  expect(spans.map(({ name }) => name).sort()).toEqual(["child", "root"])
  expect(spans.find(({ name }) => name === "root")?.attributes.get("long")).toBe(1.6000000005587935)
})

test("they are equal to those of OpenTelemetry's own serializer", () => {
  const spans = sampleSpans()
  const ours = JSON.parse(formatTracesRequest(spans.map((span) => ({ span, text: formatSpan(span) }))))
  const theirs = JSON.parse(new TextDecoder().decode(JsonTraceSerializer.serializeRequest(spans)))
  // One writes integers as text and the other as numbers, and flags of links are not part of a record. The receiver reads both alike.
  expect(spansIn(JSON.stringify(ours))).toEqual(spansIn(JSON.stringify(theirs)))
})
