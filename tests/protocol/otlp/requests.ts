import protobuf from "protobufjs/light.js"
import { type OtlpEncoding, type OtlpMessage, otlpType } from "#otel/protocol/otlp/message.ts"

// The encoder's limit would prevent tests that send more than the decoder accepts.
protobuf.util.recursionLimit = 1_000

/** Requests as OTLP/JSON objects, and their translation into protobuf with the schema. */

// oxlint-disable-next-line typescript/no-explicit-any -- requests are also written wrongly on purpose
export type Json = any

export const TRACE_ID = "5b8efff798038103d269b633813fc60c"
export const SPAN_ID = "eee19b7ec3c1b174"
/** The time in the specification's example. No test depends on the current time. */
export const START = "1544712660000000123"
export const END = "1544712661000000456"
export const NOT_LATEST = { latest: 2_000_000_000_000_000_000n as never, maxSpans: 100_000 }

export function span(changes: Record<string, Json> = {}): Json {
  return {
    traceId: TRACE_ID,
    spanId: SPAN_ID,
    name: "GET /",
    startTimeUnixNano: START,
    endTimeUnixNano: END,
    ...changes,
  }
}

export function request(...spans: Json[]): Json {
  return { resourceSpans: [{ scopeSpans: [{ spans }] }] }
}

export function withAttributes(...attributes: Json[]): Json {
  return request(span({ attributes }))
}

export function encodeJson(value: Json): Uint8Array {
  return Buffer.from(JSON.stringify(value))
}

const HEX_FIELDS = new Set(["traceId", "spanId", "parentSpanId"])

export function encodeProtobuf(value: Json, type: OtlpMessage = "ExportTraceServiceRequest"): Uint8Array {
  const message = otlpType(type)
  return Buffer.from(message.encode(message.fromObject(withBinaryIds(value))).finish())
}

export function encode(value: Json, encoding: OtlpEncoding): Uint8Array {
  return encoding === "json" ? encodeJson(value) : encodeProtobuf(value)
}

function withBinaryIds(value: Json): Json {
  if (Array.isArray(value)) return value.map(withBinaryIds)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      HEX_FIELDS.has(key) ? Buffer.from(inner as string, "hex") : withBinaryIds(inner),
    ]),
  )
}

/** @see https://github.com/open-telemetry/opentelemetry-proto/blob/main/examples/trace.json */
export const EXAMPLE = {
  resourceSpans: [
    {
      resource: { attributes: [{ key: "service.name", value: { stringValue: "my.service" } }] },
      scopeSpans: [
        {
          scope: {
            name: "my.library",
            version: "1.0.0",
            attributes: [{ key: "my.scope.attribute", value: { stringValue: "some scope attribute" } }],
          },
          spans: [
            {
              traceId: "5B8EFFF798038103D269B633813FC60C",
              spanId: "EEE19B7EC3C1B174",
              parentSpanId: "EEE19B7EC3C1B173",
              name: "I'm a server span",
              startTimeUnixNano: START,
              endTimeUnixNano: END,
              kind: 2,
              attributes: [{ key: "my.span.attr", value: { stringValue: "some value" } }],
            },
          ],
        },
      ],
    },
  ],
}
