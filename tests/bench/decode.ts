import { deserialize, serialize } from "node:v8"
import { decodeBatch, encodeBatch } from "#otel/protocol/codec/encode-batch.ts"
import { decodeMessage, scanJson, scanProtobuf } from "#otel/protocol/otlp/decode-message.ts"
import { decodeTraces } from "#otel/protocol/otlp/decode-traces.ts"
import { type OtlpEncoding, otlpType } from "#otel/protocol/otlp/message.ts"
import { tracesToJson } from "#otel/protocol/otlp/traces-json.ts"
import { recordBatch } from "#otel/protocol/records/batch.ts"
import { encode, type Json, NOT_LATEST } from "#tests/protocol/otlp/requests.ts"

/**
 * Measures the time, CPU and memory to decode a request of 512 spans: `npm run bench:decode`. The spans are those of an HTTP
 * server, with ten attributes and one event each. `docs/decisions/0003-protobuf-decoding.md` cites its figures.
 */
const SPANS = 512
const REQUEST = "ExportTraceServiceRequest"
const WARM_UP_ROUNDS = 40
const ROUNDS = 200

function text(key: string, value: string): Json {
  return { key, value: { stringValue: value } }
}

function serverSpan(_: unknown, index: number): Json {
  const start = 1_790_000_000_000_000_000n + BigInt(index)
  return {
    traceId: (index + 1).toString(16).padStart(32, "0"),
    spanId: (index + 1).toString(16).padStart(16, "0"),
    parentSpanId: (index + 2).toString(16).padStart(16, "0"),
    name: "GET /api/items/[id]",
    kind: 2,
    flags: 257,
    startTimeUnixNano: String(start),
    endTimeUnixNano: String(start + 5_000_000n),
    attributes: [
      text("http.request.method", "GET"),
      text("url.path", `/api/items/${index}`),
      text("http.route", "/api/items/[id]"),
      text("server.address", "localhost"),
      text("user_agent.original", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36"),
      text("network.protocol.version", "1.1"),
      { key: "http.response.status_code", value: { intValue: "200" } },
      { key: "server.port", value: { intValue: "3000" } },
      { key: "cache.hit", value: { boolValue: true } },
      { key: "cache.ratio", value: { doubleValue: 0.25 } },
    ],
    events: [{ timeUnixNano: String(start), name: "first byte", attributes: [text("stage", "render")] }],
    status: { code: 0 },
  }
}

const request = {
  resourceSpans: [
    {
      resource: { attributes: [text("service.name", "shop"), text("host.name", "web-1")] },
      scopeSpans: [
        {
          scope: { name: "@opentelemetry/instrumentation-http", version: "0.223.0" },
          spans: Array.from({ length: SPANS }, serverSpan),
        },
      ],
    },
  ],
}

function measure(what: string, act: () => unknown): void {
  for (let round = 0; round < WARM_UP_ROUNDS; round += 1) act()
  const cpuBefore = process.cpuUsage()
  const timeBefore = process.hrtime.bigint()
  for (let round = 0; round < ROUNDS; round += 1) act()
  const seconds = Number(process.hrtime.bigint() - timeBefore) / 1e9
  const cpu = process.cpuUsage(cpuBefore)
  const spansPerSecond = Math.round((SPANS * ROUNDS) / seconds).toLocaleString("en")
  const cpuPerSpan = ((cpu.user + cpu.system) / ROUNDS / SPANS).toFixed(1)
  console.log(`${what.padEnd(44)} ${spansPerSecond.padStart(10)} spans/s ${cpuPerSpan.padStart(6)} µs CPU a span`)
}

const bodies: Record<OtlpEncoding, Uint8Array> = {
  json: encode(request, "json"),
  protobuf: encode(request, "protobuf"),
}
const decoded = decodeTraces(bodies.protobuf, "protobuf", NOT_LATEST)
if (!decoded.ok) throw new Error(decoded.problem)
const { spans } = decoded
console.log(
  `Node ${process.version}, ${SPANS} spans: protobuf ${bodies.protobuf.length} bytes, JSON ${bodies.json.length}`,
)

measure("protobuf: scan", () => scanProtobuf(bodies.protobuf, REQUEST))
measure("protobuf: protobufjs into its messages", () => otlpType(REQUEST).decode(bodies.protobuf))
measure("protobuf: records, all in all", () => decodeTraces(bodies.protobuf, "protobuf", NOT_LATEST))
measure("JSON: scan", () => scanJson(bodies.json))
measure("JSON: scan and JSON.parse", () => decodeMessage(bodies.json, "json", REQUEST))
measure("JSON: records, all in all", () => decodeTraces(bodies.json, "json", NOT_LATEST))
const records = recordBatch({ spans })
const batch = encodeBatch(records)
measure("journal, written", () => encodeBatch(records))
measure("journal, read", () => decodeBatch(batch))
const clone = serialize(records)
measure("V8's structured clone, written", () => serialize(records))
measure("V8's structured clone, read", () => deserialize(clone))
const json = JSON.stringify(tracesToJson(spans))
measure("OTLP/JSON, written", () => Buffer.from(JSON.stringify(tracesToJson(spans))))
console.log(`journal ${batch.length} bytes, structured clone ${clone.length}, OTLP/JSON ${json.length}`)
