import { describe, expect, test } from "vitest"
import { decodeBatch, requestParts } from "#otel/protocol/codec/encode-batch.ts"
import { decodeTraces } from "#otel/protocol/otlp/decode-traces.ts"
import { countPlainSpans } from "#otel/protocol/otlp/plain-traces.ts"
import { errorsOfSpans } from "#otel/protocol/records/exception.ts"
import { generatedRequest } from "./generated-requests.ts"
import { Random } from "./random.ts"
import { encodeProtobuf, type Json, NOT_LATEST, request, span, withAttributes } from "./requests.ts"
import { validRequest } from "./valid-requests.ts"

const text = (key: string, stringValue: string): Json => ({ key, value: { stringValue } })
const count = (value: Json, limits = NOT_LATEST) => countPlainSpans(encodeProtobuf(value), limits)

/** Whether the decoder accepts as many spans, cuts and rejects nothing, and finds no error in them. */
function expectPlain(body: Uint8Array, spans: number): void {
  const decoded = decodeTraces(body, "protobuf", NOT_LATEST)
  if (!decoded.ok) throw new Error(`the decoder refuses it: ${decoded.problem}`)
  expect(decoded.spans.length).toBe(spans)
  expect(decoded.drops).toStrictEqual([])
  expect(errorsOfSpans(decoded.spans)).toStrictEqual([])
  expect(decodeBatch(Buffer.concat(requestParts(body))).spans).toStrictEqual(decoded.spans)
}

describe("what is plain, the decoder accepts completely", () => {
  test("in 150 generated requests, some of which are not valid", () => {
    const random = new Random(20_261_124)
    let plain = 0
    for (let index = 0; index < 150; index += 1) {
      const body = encodeProtobuf(index % 4 === 0 ? generatedRequest(random) : validRequest(random))
      const spans = countPlainSpans(body, NOT_LATEST)
      if (spans === undefined) continue
      plain += spans > 0 ? 1 : 0
      expectPlain(body, spans)
    }
    expect(plain).toBeGreaterThan(40)
  })

  test("in 3,000 requests of which a byte was changed", () => {
    const random = new Random(3)
    const original = encodeProtobuf(ordinaryRequest())
    let plain = 0
    for (let index = 0; index < 3_000; index += 1) {
      const body = Uint8Array.from(original)
      body[random.below(body.length)] = random.below(256)
      const spans = countPlainSpans(body, NOT_LATEST)
      if (spans === undefined) continue
      plain += 1
      expectPlain(body, spans)
    }
    expect(plain).toBeGreaterThan(300)
  })
})

test("an ordinary request of an SDK is plain: structured resource attributes, events, links, a status", () => {
  const body = encodeProtobuf(ordinaryRequest())
  expect(countPlainSpans(body, NOT_LATEST)).toBe(2)
  expectPlain(body, 2)
})

test.each<[string, Json]>([
  ["no trace id", request(span({ traceId: "" }))],
  ["a span id of zeros", request(span({ spanId: "0000000000000000" }))],
  ["a parent id of four bytes", request(span({ parentSpanId: "01020304" }))],
  ["no end", request(span({ endTimeUnixNano: "0" }))],
  ["an end before its start", request(span({ endTimeUnixNano: "1" }))],
  [
    "a start in the future",
    request(span({ startTimeUnixNano: "3000000000000000000", endTimeUnixNano: "3000000000000000001" })),
  ],
  ["an end after the year 2262", request(span({ endTimeUnixNano: "9223372036854775808" }))],
  ["an unknown kind", request(span({ kind: 9 }))],
  ["a name of more than 1 KiB", request(span({ name: "n".repeat(1_025) }))],
  ["a text of more than 64 KiB", withAttributes(text("a", "t".repeat(65_537)))],
  ["a key of more than 1 KiB", withAttributes(text("k".repeat(1_025), ""))],
  ["a key twice", withAttributes(text("a", "1"), text("b", "2"), text("a", "3"))],
  ["an empty key and none", withAttributes(text("", "1"), { value: { stringValue: "2" } })],
  ["1,025 attributes", withAttributes(...Array.from({ length: 1_025 }, (_, index) => text(`a${index}`, "")))],
  ["1,025 events", request(span({ events: Array.from({ length: 1_025 }, () => ({ name: "e" })) }))],
  ["a link to no span", request(span({ links: [{ traceId: "01".repeat(16), spanId: "0102" }] }))],
  ["an exception", request(span({ events: [{ name: "exception", attributes: [text("exception.type", "Error")] }] }))],
  ["an exception in attributes", withAttributes(text("exception.type", "Error"))],
  ["an exception in attributes without its class", withAttributes(text("exception.message", "no such table"))],
])("%s is left to the decoder", (_, value) => {
  expect(count(value)).toBeUndefined()
})

test("text that is not UTF-8 is left to the decoder, which refuses it", () => {
  for (const length of [2, 500]) {
    const name = `${"a".repeat(length)}é`
    const body = encodeProtobuf(request(span({ name })))
    const at = Buffer.from(body).indexOf(Buffer.from("é"))
    expect(countPlainSpans(body, NOT_LATEST)).toBe(1)
    body[at] = 0xff
    expect(countPlainSpans(body, NOT_LATEST)).toBeUndefined()
  }
})

test("more spans than the limit are left to the decoder", () => {
  expect(count(request(span(), span()), { ...NOT_LATEST, maxSpans: 1 })).toBeUndefined()
})

function ordinaryRequest(): Json {
  const list = { arrayValue: { values: [{ stringValue: "node" }, { stringValue: "--import" }] } }
  const map = { kvlistValue: { values: [text("a", "1"), { key: "b", value: list }] } }
  return {
    resourceSpans: [
      {
        resource: { attributes: [text("service.name", "shop"), { key: "process.command_args", value: list }] },
        schemaUrl: "https://opentelemetry.io/schemas/1.43.0",
        scopeSpans: [
          {
            scope: { name: "http", version: "1.0.0", attributes: [text("a", "b")] },
            spans: [
              span({
                kind: 2,
                flags: 257,
                traceState: "vendor=1",
                droppedAttributesCount: 2,
                attributes: [
                  text("http.route", "/é"),
                  { key: "http.response.status_code", value: { intValue: "200" } },
                  { key: "negative", value: { intValue: "-5" } },
                  { key: "ratio", value: { doubleValue: 0.25 } },
                  { key: "hit", value: { boolValue: true } },
                  { key: "nothing" },
                  { key: "structured", value: map },
                  { key: "bytes", value: { bytesValue: "AAEC" } },
                ],
                events: [{ timeUnixNano: "1544712660000000200", name: "first byte", attributes: [text("a", "b")] }],
                links: [{ traceId: "01".repeat(16), spanId: "02".repeat(8), attributes: [text("a", "b")] }],
                status: { code: 2, message: "failed" },
              }),
              span({ spanId: "01".repeat(8), parentSpanId: "02".repeat(8), attributes: [text("http.route", "/é")] }),
            ],
          },
        ],
      },
    ],
  }
}
