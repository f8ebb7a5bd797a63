import { expect, test } from "vitest"
import { RequestSpans, type SpanTarget } from "#otel/inspector/store/rows/request-spans.ts"
import { SpanBlock } from "#otel/inspector/store/rows/span-block.ts"
import { decodeTraces } from "#otel/protocol/otlp/decode-traces.ts"
import { countPlainSpans } from "#otel/protocol/otlp/plain-traces.ts"
import { Random } from "#tests/protocol/otlp/random.ts"
import { encodeProtobuf, type Json, NOT_LATEST, span } from "#tests/protocol/otlp/requests.ts"
import { validRequest } from "#tests/protocol/otlp/valid-requests.ts"

/** A request becomes the same bytes for the store with and without records in between, and in the memory of an earlier one. */

function target(block: SpanBlock): SpanTarget {
  return { accepts: () => true, blockFor: () => block, add: (record) => block.add(record), takeFull: () => undefined }
}

/** The block of all calls, in turn. */
const used = new SpanBlock()

function expectSameBlocks(bodies: readonly Uint8Array[]): number {
  const [direct, ofRecords] = [new SpanBlock(), new SpanBlock()]
  used.clear()
  const requests = new RequestSpans(target(direct))
  const requestsAgain = new RequestSpans(target(used))
  for (const body of bodies) {
    Array.from(requests.add(body))
    Array.from(requestsAgain.add(body))
    const decoded = decodeTraces(body, "protobuf", NOT_LATEST)
    if (!decoded.ok) throw new Error(decoded.problem)
    for (const record of decoded.spans) ofRecords.add(record)
  }
  expect(direct.spans).toBe(ofRecords.spans)
  expect(used.spans).toBe(ofRecords.spans)
  expect(direct.trace.encode().equals(ofRecords.trace.encode())).toBe(true)
  expect(direct.detail.encode().equals(ofRecords.detail.encode())).toBe(true)
  expect(used.trace.encode().equals(ofRecords.trace.encode())).toBe(true)
  expect(used.detail.encode().equals(ofRecords.detail.encode())).toBe(true)
  return direct.spans
}

test("generated requests become the same columns with and without records", () => {
  const random = new Random(11)
  const bodies = Array.from({ length: 40 }, () => encodeProtobuf(validRequest(random))).filter(
    (body) => (countPlainSpans(body, NOT_LATEST) ?? 0) > 0,
  )
  expect(bodies.length).toBeGreaterThan(12)
  expect(expectSameBlocks(bodies)).toBeGreaterThan(30)
  for (const body of bodies) expectSameBlocks([body])
})

const attribute = (key: string, value: Json): Json => ({ key, value })
const ordinary = (index: number, changes: Json = {}): Json =>
  span({
    spanId: (index + 1).toString(16).padStart(16, "0"),
    ...(index % 4 > 0 && { parentSpanId: "0000000000000001" }),
    name: `GET /${index % 3}`,
    kind: index % 6,
    flags: index,
    attributes: [
      attribute("url.path", { stringValue: `/${"é".repeat(index % 80)}/${"a".repeat(index % 70)}` }),
      attribute("status", { intValue: String(index * 100 - 50) }),
      attribute("large", { intValue: "-9223372036854775808" }),
      attribute("ratio", { doubleValue: index / 3 }),
      attribute("minus zero", { doubleValue: -0 }),
      attribute("infinite", { doubleValue: "Infinity" }),
      attribute("hit", { boolValue: index % 2 === 0 }),
      attribute("", {}),
      ...(index % 5 === 0 ? [attribute("bytes", { bytesValue: "AAEC" })] : []),
    ],
    status: { code: index % 3, message: index % 3 === 2 ? "failed" : "" },
    ...changes,
  })
const requestOf = (resource: string, scope: string, spans: Json[]): Uint8Array =>
  encodeProtobuf({
    resourceSpans: [
      {
        resource: {
          attributes: [attribute("service.name", { stringValue: resource }), attribute("pid", { intValue: "7" })],
        },
        schemaUrl: resource === "shop" ? "https://opentelemetry.io/schemas/1.43.0" : "",
        scopeSpans: [
          { scope: { name: scope, version: "1", attributes: [attribute("n", { intValue: "1" })] }, spans },
          { spans: spans.slice(0, 1) },
        ],
      },
    ],
  })

test("services and scopes that take turns keep their own columns", () => {
  const bodies = Array.from({ length: 6 }, (_, turn) =>
    requestOf(
      turn % 2 === 0 ? "shop" : "mail",
      `scope ${turn % 3}`,
      Array.from({ length: 100 }, (_, index) => ordinary(index + turn)),
    ),
  )
  expect(expectSameBlocks(bodies)).toBe(6 * 101)
})

test("more distinct names than are known by their bytes", () => {
  const names = Array.from({ length: 5_000 }, (_, index) => ordinary(index, { name: `name ${index % 4_500}` }))
  const body = requestOf("shop", "scope", names)
  expect(expectSameBlocks([body, body])).toBe(2 * 5_001)
})

test("times past what the store holds are stored as the nearest time", () => {
  const early = ordinary(1, { startTimeUnixNano: "1", endTimeUnixNano: "9223372036854775807" })
  const late = ordinary(2, { startTimeUnixNano: "4200000000000000000", endTimeUnixNano: "4200000000000000001" })
  const body = requestOf("shop", "scope", [early, late])
  const limits = { ...NOT_LATEST, latest: 2n ** 63n - 1n } as typeof NOT_LATEST
  expect(countPlainSpans(body, limits)).toBe(3)
  const [direct, ofRecords] = [new SpanBlock(), new SpanBlock()]
  Array.from(new RequestSpans(target(direct)).add(body))
  const decoded = decodeTraces(body, "protobuf", limits)
  if (!decoded.ok) throw new Error(decoded.problem)
  for (const record of decoded.spans) ofRecords.add(record)
  expect(direct.trace.encode().equals(ofRecords.trace.encode())).toBe(true)
  expect(direct.detail.encode().equals(ofRecords.detail.encode())).toBe(true)
})
