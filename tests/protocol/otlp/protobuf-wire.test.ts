import { describe, expect, test } from "vitest"
import { decodeTraces } from "#otel/protocol/otlp/decode-traces.ts"
import { END, NOT_LATEST, SPAN_ID, START, TRACE_ID } from "./requests.ts"

/**
 * Protobuf written byte by byte, after the binary cases of protobuf's conformance suite. This file does not use the encoder
 * or the schema, so that it finds their mistakes.
 */

const VARINT = 0
const FIXED64 = 1
const BYTES = 2
const GROUP = 3
const GROUP_END = 4
const FIXED32 = 5

function varint(value: number | bigint): Buffer {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, BigInt(value))
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128)
  return Buffer.from([...bytes, Number(rest)])
}

function tag(field: number, wire: number): Buffer {
  return varint((BigInt(field) << 3n) | BigInt(wire))
}

function bytes(field: number, ...content: (Uint8Array | string)[]): Buffer {
  const inner = Buffer.concat(content.map((part) => Buffer.from(part as Uint8Array)))
  return Buffer.concat([tag(field, BYTES), varint(inner.length), inner])
}

function fixed64(field: number, value: bigint): Buffer {
  const content = Buffer.alloc(8)
  content.writeBigUInt64LE(BigInt.asUintN(64, value))
  return Buffer.concat([tag(field, FIXED64), content])
}

function number(field: number, value: number | bigint): Buffer {
  return Buffer.concat([tag(field, VARINT), varint(value)])
}

const IDS = Buffer.concat([bytes(1, Buffer.from(TRACE_ID, "hex")), bytes(2, Buffer.from(SPAN_ID, "hex"))])
const TIMES = Buffer.concat([fixed64(7, BigInt(START)), fixed64(8, BigInt(END))])

/** A request with one span, which has additional bytes. */
function withSpan(...extra: Uint8Array[]): Buffer {
  return bytes(1, bytes(2, bytes(2, IDS, TIMES, ...extra)))
}

function read(body: Uint8Array) {
  return decodeTraces(body, "protobuf", NOT_LATEST)
}

function spanOf(body: Uint8Array) {
  const decoded = read(body)
  if (!decoded.ok) throw new Error(decoded.problem)
  expect(decoded.spans).toHaveLength(1)
  return decoded.spans[0]!
}

test("every field of a span is read from its number in the protocol", () => {
  const attribute = (field: number, key: string) => bytes(field, bytes(1, key), bytes(2, bytes(1, "v")))
  const event = bytes(11, fixed64(1, 5n), bytes(2, "e"), attribute(3, "ek"))
  const link = bytes(13, IDS, bytes(3, "l=1"), attribute(4, "lk"))
  const status = bytes(15, bytes(2, "why"), number(3, 2))
  const fields = [
    bytes(3, "a=1"),
    bytes(4, Buffer.from("0102030405060708", "hex")),
    bytes(5, "name"),
    number(6, 3),
    attribute(9, "sk"),
    number(10, 1),
    event,
    number(12, 2),
    link,
    number(14, 3),
    status,
    Buffer.concat([tag(16, FIXED32), Buffer.from([1, 1, 0, 0])]),
  ]
  const scope = bytes(1, bytes(1, "lib"), bytes(2, "1.0"), attribute(3, "ck"))
  const resource = bytes(1, attribute(1, "rk"))
  const body = bytes(1, resource, bytes(2, scope, bytes(2, IDS, TIMES, ...fields)), bytes(3, "https://schema"))
  expect(spanOf(body)).toStrictEqual({
    traceId: TRACE_ID,
    spanId: SPAN_ID,
    parentSpanId: "0102030405060708",
    traceState: "a=1",
    flags: 257,
    name: "name",
    kind: "client",
    startTime: BigInt(START),
    endTime: BigInt(END),
    status: { code: "error", message: "why" },
    attributes: new Map([["sk", "v"]]),
    events: [{ time: 5n, name: "e", attributes: new Map([["ek", "v"]]) }],
    links: [{ traceId: TRACE_ID, spanId: SPAN_ID, traceState: "l=1", attributes: new Map([["lk", "v"]]) }],
    dropped: { attributes: 1, events: 2, links: 3 },
    resource: { attributes: new Map([["rk", "v"]]), schemaUrl: "https://schema" },
    scope: { name: "lib", version: "1.0", attributes: new Map([["ck", "v"]]) },
    source: "otlp",
  })
})

test.each([
  ["text", bytes(1, "a"), "a"],
  ["empty text", bytes(1, ""), ""],
  ["true", number(2, 1), true],
  ["false", number(2, 0), false],
  ["the largest integer", number(3, 2n ** 63n - 1n), 2n ** 63n - 1n],
  ["the smallest integer", number(3, -(2n ** 63n)), -(2n ** 63n)],
  ["minus one", number(3, -1), -1n],
  ["zero", number(3, 0), 0n],
  ["a double", Buffer.concat([tag(4, FIXED64), Buffer.from([0, 0, 0, 0, 0, 0, 0xe0, 0x3f])]), 0.5],
  ["an empty list", bytes(5), []],
  ["a list", bytes(5, bytes(1, number(3, 7)), bytes(1)), [7n, null]],
  ["an empty map", bytes(6), new Map()],
  ["a map", bytes(6, bytes(1, bytes(1, "k"), bytes(2, bytes(1, "v")))), new Map([["k", "v"]])],
  ["bytes", bytes(7, Buffer.from([0, 255])), new Uint8Array([0, 255])],
  ["no bytes", bytes(7), new Uint8Array()],
  ["nothing", Buffer.alloc(0), null],
  ["an unknown type", bytes(99, "x"), null],
  ["of two types, of which the last counts", Buffer.concat([bytes(1, "a"), number(3, 7)]), 7n],
])("a value that is %s", (_name, value, expected) => {
  expect(spanOf(withSpan(bytes(9, bytes(1, "k"), bytes(2, value)))).attributes.get("k")).toStrictEqual(expected)
})

describe("an unknown field is skipped, whatever its wire type", () => {
  const unknown = [
    ["varint", number(1000, 2n ** 64n - 1n)],
    ["64 bits", fixed64(1000, 1n)],
    ["bytes", bytes(1000, "anything")],
    ["32 bits", Buffer.concat([tag(1000, FIXED32), Buffer.alloc(4)])],
    ["an empty group", Buffer.concat([tag(1000, GROUP), tag(1000, GROUP_END)])],
    ["a group", Buffer.concat([tag(1000, GROUP), number(1, 5), bytes(2, "x"), tag(1000, GROUP_END)])],
    ["the highest field number", bytes(2 ** 29 - 1, "x")],
    ["a known field of another wire type", number(5, 1)],
  ] as const
  test.each(unknown)("%s", (_name, field) => {
    const expected = spanOf(withSpan())
    expect(spanOf(withSpan(field))).toStrictEqual(expected)
    expect(spanOf(bytes(1, field, bytes(2, field, bytes(2, field, IDS, field, TIMES, field))))).toStrictEqual(expected)
    expect(spanOf(Buffer.concat([withSpan(), field]))).toStrictEqual(expected)
  })
})

test("of a repeated scalar field the last value counts, and repeated messages are merged", () => {
  const span = spanOf(
    withSpan(bytes(5, "first"), bytes(5, "last"), bytes(15, bytes(2, "why")), bytes(15, number(3, 2))),
  )
  expect(span.name).toBe("last")
  expect(span.status).toStrictEqual({ code: "error", message: "why" })
})

test("an overlong varint is the same number", () => {
  const kind = Buffer.concat([tag(6, VARINT), Buffer.from([0x82, 0x80, 0x80, 0x80, 0x00])])
  expect(spanOf(withSpan(kind)).kind).toBe("server")
})

describe("illegal bytes are refused", () => {
  const wires = [
    ["varint", VARINT],
    ["64 bits", FIXED64],
    ["bytes", BYTES],
    ["a group", GROUP],
    ["32 bits", FIXED32],
  ] as const
  const places = [
    ["the request", (junk: Buffer) => junk],
    ["resourceSpans", (junk: Buffer) => bytes(1, junk)],
    ["scopeSpans", (junk: Buffer) => bytes(1, bytes(2, junk))],
    ["a span", (junk: Buffer) => withSpan(junk)],
    ["a value", (junk: Buffer) => withSpan(bytes(9, bytes(2, junk)))],
    ["an event", (junk: Buffer) => withSpan(bytes(11, junk))],
  ] as const
  const illegal = [
    ["a group end without a start", tag(1, GROUP_END)],
    ["a group that ends as another", Buffer.concat([tag(1, GROUP), tag(2, GROUP_END)])],
    ["a group that does not end", Buffer.concat([tag(1000, GROUP), number(1, 5)])],
    ["wire type 6", Buffer.from([0x0e, 0])],
    ["wire type 7", Buffer.from([0x0f, 0])],
    ["a varint of eleven bytes", Buffer.concat([tag(1000, VARINT), Buffer.alloc(10, 0xff), Buffer.from([1])])],
    ["a tag of more than 32 bits", Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0])],
    ["a length past the end", Buffer.concat([tag(1000, BYTES), varint(5), Buffer.from("four")])],
    ["a length of 4 GiB", Buffer.concat([tag(1000, BYTES), varint(2 ** 32 - 1)])],
    ["a negative length", Buffer.concat([tag(1000, BYTES), varint(-1)])],
    ...wires.map(([name, wire]) => [`a tag of ${name} and nothing`, tag(1000, wire)] as const),
    ["half of a tag", Buffer.from([0x80])],
    ["half of a varint", Buffer.concat([tag(1000, VARINT), Buffer.from([0x80])])],
    ["half of 64 bits", Buffer.concat([tag(1000, FIXED64), Buffer.alloc(7)])],
    ["half of 32 bits", Buffer.concat([tag(1000, FIXED32), Buffer.alloc(3)])],
  ] as const
  const cases = places.flatMap(([place, put]) => illegal.map(([what, junk]) => [what, place, put(junk)] as const))
  test.each(cases)("%s in %s", (_what, _place, body) => {
    expect(read(body)).toMatchObject({ ok: false, reason: "malformed" })
  })

  test.each([
    ["a lone continuation byte", [0x80]],
    ["an overlong slash", [0xc0, 0xaf]],
    ["a surrogate", [0xed, 0xa0, 0x80]],
    ["past the last character", [0xf4, 0x90, 0x80, 0x80]],
    ["a truncated character", [0xe6, 0x97]],
  ])("text that is not UTF-8: %s", (_name, junk) => {
    expect(read(withSpan(bytes(5, Buffer.from(junk))))).toMatchObject({ ok: false, reason: "malformed" })
    expect(read(withSpan(bytes(5, "x".repeat(100), Buffer.from(junk))))).toMatchObject({ ok: false })
  })

  test("a request that is truncated anywhere", () => {
    const body = withSpan(bytes(9, bytes(1, "k"), bytes(2, bytes(1, "v"))), bytes(5, "name"))
    for (let length = 1; length < body.length; length += 1)
      expect(read(body.subarray(0, length)), `cut at ${length}`).toMatchObject({ ok: false })
  })
})

/** That many empty messages, two bytes each. */
function empties(field: number, count: number): Buffer {
  const content = Buffer.alloc(count * 2)
  for (let index = 0; index < content.length; index += 2) content[index] = (field << 3) | BYTES
  return content
}

describe("costs are bounded", () => {
  test.each([
    ["resourceSpans", empties(1, 2_000_000)],
    ["scopeSpans", bytes(1, empties(2, 2_000_000))],
    ["spans", bytes(1, bytes(2, empties(2, 2_000_000)))],
    ["attributes", withSpan(empties(9, 2_000_000))],
    ["values", withSpan(bytes(9, bytes(2, bytes(5, empties(1, 2_000_000)))))],
  ])("two million empty %s are refused before any is created", (_name, body) => {
    expect(read(body)).toMatchObject({ ok: false, reason: "too_large" })
  })
  test("more spans than a request may have are refused before any is read, with their number", () => {
    expect(read(bytes(1, bytes(2, empties(2, 100_001))))).toMatchObject({ reason: "limit_spans", count: 100_001 })
    expect(read(bytes(1, bytes(2, empties(2, 100_000))))).toMatchObject({ ok: true })
  })
  test("messages behind a group are counted as well", () => {
    const group = Buffer.concat([tag(1000, GROUP), tag(1000, GROUP_END)])
    expect(read(Buffer.concat([group, empties(1, 2_000_000)]))).toMatchObject({ reason: "too_large" })
  })
  test("deep groups and messages are refused and do not end the process", () => {
    expect(read(Buffer.alloc(1_000_000, tag(1000, GROUP)))).toMatchObject({ ok: false })
    let deep: Buffer = Buffer.alloc(0)
    for (let level = 0; level < 5_000; level += 1) deep = bytes(1, bytes(5, deep))
    expect(read(withSpan(bytes(9, bytes(2, bytes(5, deep)))))).toMatchObject({ ok: false, reason: "malformed" })
  })
})
