import { SpanKind, SpanStatusCode, TraceFlags } from "@opentelemetry/api"
import { OTLPTraceExporter as JsonExporter } from "@opentelemetry/exporter-trace-otlp-http"
import { OTLPTraceExporter as ProtobufExporter } from "@opentelemetry/exporter-trace-otlp-proto"
import { CompressionAlgorithm } from "@opentelemetry/otlp-exporter-base"
import { resourceFromAttributes } from "@opentelemetry/resources"
import { BatchSpanProcessor } from "@opentelemetry/sdk-trace-base"
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node"
import { expect, test } from "vitest"
import { secret } from "#otel/protocol/secret.ts"
import { serve, startReceiver } from "#tests/inspector/ingest/receiver-under-test.ts"

const TOKEN = "0123456789abcdef"

test.each([
  ["OTLP/JSON", JsonExporter, CompressionAlgorithm.NONE],
  ["OTLP/JSON with gzip", JsonExporter, CompressionAlgorithm.GZIP],
  ["OTLP/protobuf", ProtobufExporter, CompressionAlgorithm.NONE],
  ["OTLP/protobuf with gzip", ProtobufExporter, CompressionAlgorithm.GZIP],
] as const)(
  "spans of OpenTelemetry's own SDK in %s are stored as they were recorded",
  async (_name, Exporter, compression) => {
    const { receiver, sink } = await startReceiver({ token: secret(TOKEN) })
    const url = `${await serve(receiver.traces)}/v1/traces`
    const exporter = new Exporter({ url, compression, headers: { authorization: `Bearer ${TOKEN}` } })
    const provider = new NodeTracerProvider({
      resource: resourceFromAttributes({ "service.name": "checkout", "host.cpus": 4 }),
      spanProcessors: [new BatchSpanProcessor(exporter)],
    })
    const tracer = provider.getTracer("test-scope", "1.2.3")
    const link = { traceId: "ab".repeat(16), spanId: "cd".repeat(8), traceFlags: TraceFlags.SAMPLED }
    const span = tracer.startSpan("POST /cart/[id]", {
      kind: SpanKind.SERVER,
      startTime: [1_790_000_000, 123_456_789],
      attributes: { text: "naïve 日本語", whole: 42, part: 0.5, yes: true, list: ["a", "b"] },
      links: [{ context: link, attributes: { why: "retry" } }],
    })
    span.addEvent("exception", { "exception.type": "TypeError" }, [1_790_000_000, 200_000_000])
    span.setStatus({ code: SpanStatusCode.ERROR, message: "no such cart" })
    span.end([1_790_000_001, 1])
    await provider.shutdown()
    await receiver.close()
    const context = span.spanContext()
    expect(receiver.drops.totals()).toStrictEqual({})
    expect(sink.spans).toHaveLength(1)
    expect(sink.spans[0]).toMatchObject({
      traceId: context.traceId,
      spanId: context.spanId,
      parentSpanId: undefined,
      name: "POST /cart/[id]",
      kind: "server",
      startTime: 1_790_000_000_123_456_789n,
      endTime: 1_790_000_001_000_000_001n,
      status: { code: "error", message: "no such cart" },
      attributes: new Map<string, unknown>([
        ["text", "naïve 日本語"],
        ["whole", 42n],
        ["part", 0.5],
        ["yes", true],
        ["list", ["a", "b"]],
      ]),
      events: [
        {
          name: "exception",
          time: 1_790_000_000_200_000_000n,
          attributes: new Map([["exception.type", "TypeError"]]),
        },
      ],
      links: [{ traceId: link.traceId, spanId: link.spanId, attributes: new Map([["why", "retry"]]) }],
      scope: { name: "test-scope", version: "1.2.3" },
      source: "otlp",
    })
    expect(sink.spans[0]!.resource.attributes.get("service.name")).toBe("checkout")
    expect(sink.spans[0]!.resource.attributes.get("host.cpus")).toBe(4n)
  },
)

test("an exporter that gets Retry-After sends again, and nothing is stored twice", async () => {
  const { receiver, sink } = await startReceiver({ waitingSpanLimit: 1 })
  const url = await serve(receiver.traces)
  sink.isDown = true
  const provider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(new ProtobufExporter({ url }))] })
  const tracer = provider.getTracer("test")
  tracer.startSpan("first").end()
  await provider.forceFlush()
  tracer.startSpan("second").end()
  const flushed = provider.forceFlush()
  await expect.poll(() => receiver.drops.totals()["store_unavailable"]).toBe(1)
  sink.isDown = false
  await flushed
  await sink.until(({ spans }) => spans.length === 2)
  await provider.shutdown()
  expect(sink.spans.map(({ name }) => name)).toStrictEqual(["first", "second"])
})
