import { describe, expect, test } from "vitest"
import { decodeTraces } from "#otel/protocol/otlp/decode-traces.ts"
import type { OtlpEncoding } from "#otel/protocol/otlp/message.ts"
import { encode, type Json, NOT_LATEST, request, span, withAttributes } from "./requests.ts"

/** Every limit, tested just below, at and just above it, in both encodings. */
describe.each<OtlpEncoding>(["json", "protobuf"])("limits in %s", (encoding) => {
  function read(value: Json) {
    const decoded = decodeTraces(encode(value, encoding), encoding, NOT_LATEST)
    if (!decoded.ok) throw new Error(decoded.problem)
    return { span: decoded.spans[0], drops: decoded.drops, count: decoded.spans.length }
  }

  test.each([
    [1023, 1023, []],
    [1024, 1024, []],
    [1025, 1024, cut()],
    [5000, 1024, cut()],
  ])("a name of %i bytes is truncated to %i", (length, expected, drops) => {
    const result = read(request(span({ name: "n".repeat(length) })))
    expect(result.span!.name).toHaveLength(expected)
    expect(result.drops).toStrictEqual(drops)
  })

  test("a name is truncated between characters", () => {
    const { span: read1, drops } = read(request(span({ name: `x${"語".repeat(400)}` })))
    expect(read1!.name).toBe(`x${"語".repeat(341)}`)
    expect(drops).toStrictEqual(cut())
  })

  test.each([
    [1023, 1023, []],
    [1024, 1024, []],
    [1025, 1024, cut()],
    [1030, 1024, cut(6)],
  ])("of %i attributes, events, links and list entries the first %i are read", (given, expected, drops) => {
    const attributes = Array.from({ length: given }, (_, index) => ({ key: `k${index}`, value: { boolValue: true } }))
    expect(read(withAttributes(...attributes)).span!.attributes.size).toBe(expected)
    expect(read(withAttributes(...attributes)).drops).toStrictEqual(drops)
    const events = attributes.map(({ key }) => ({ name: key, timeUnixNano: "1" }))
    expect(read(request(span({ events }))).span!.events).toHaveLength(expected)
    const links = attributes.map(() => ({ traceId: "ab".repeat(16), spanId: "cd".repeat(8) }))
    expect(read(request(span({ links }))).span!.links).toHaveLength(expected)
    const list = read(withAttributes({ key: "k", value: { arrayValue: { values: attributes.map(() => ({})) } } }))
    expect(list.span!.attributes.get("k")).toHaveLength(expected)
    expect(list.drops).toStrictEqual(drops)
  })

  test.each([
    [65_535, 65_535, []],
    [65_536, 65_536, []],
    [65_537, 65_536, cut()],
    [200_000, 65_536, cut()],
  ])("a value of %i bytes is truncated to %i, as text and as bytes", (length, expected, drops) => {
    const text = read(withAttributes({ key: "k", value: { stringValue: "v".repeat(length) } }))
    expect(text.span!.attributes.get("k")).toHaveLength(expected)
    expect(text.drops).toStrictEqual(drops)
    const bytes = read(withAttributes({ key: "k", value: { bytesValue: Buffer.alloc(length, 1).toString("base64") } }))
    expect(bytes.span!.attributes.get("k")).toHaveLength(expected)
    expect(bytes.drops).toStrictEqual(drops)
  })

  test("nested values share 64 KiB, and count as one cut", () => {
    const values = Array.from({ length: 10 }, () => ({ stringValue: "v".repeat(10_000) }))
    const { span: cutSpan, drops } = read(withAttributes({ key: "k", value: { arrayValue: { values } } }))
    const parts = cutSpan!.attributes.get("k") as string[]
    expect(parts.map(({ length }) => length)).toStrictEqual([...Array.from({ length: 6 }, () => 10_000), 5_530])
    expect(drops).toStrictEqual(cut())
  })

  test.each([
    [1023, 1, []],
    [1024, 1, []],
    [1025, 0, cut()],
  ])("of an attribute with a key of %i bytes %i are read", (length, expected, drops) => {
    const result = read(withAttributes({ key: "k".repeat(length), value: { boolValue: true } }))
    expect(result.span!.attributes.size).toBe(expected)
    expect(result.drops).toStrictEqual(drops)
  })

  test.each([
    ["list", 63, false],
    ["list", 64, false],
    ["list", 65, true],
    ["map", 63, false],
    ["map", 64, false],
    ["map", 65, true],
  ])("a %s of %i levels of values", (kind, levels, isCut) => {
    const { span: deep, drops } = read(withAttributes({ key: "k", value: nested(kind, levels) }))
    expect(depthOf(deep!.attributes.get("k"))).toBe(Math.min(levels, 64))
    expect(drops).toStrictEqual(isCut ? cut() : [])
  })

  test("deeper values are refused without walking them", () => {
    const value = withAttributes({ key: "k", value: nested("list", 30) })
    const body = encoding === "json" ? deepJson(10_000) : deepProtobuf(10_000)
    expect(read(value).drops).toStrictEqual([])
    expect(decodeTraces(body, encoding, NOT_LATEST)).toMatchObject({ ok: false })
  })

  test.each([
    ["no start", { startTimeUnixNano: "0" }, "startTimeUnixNano is not set"],
    ["no end", { endTimeUnixNano: "0" }, "endTimeUnixNano is not set"],
    ["an end before the start", { startTimeUnixNano: "11", endTimeUnixNano: "10" }, "ends before"],
    [
      "a start after the latest",
      { startTimeUnixNano: "2000000000000000001", endTimeUnixNano: "2000000000000000001" },
      "future",
    ],
    ["an end past 2262", { endTimeUnixNano: "9223372036854775808" }, "2262"],
    ["the largest number as end", { endTimeUnixNano: "18446744073709551615" }, "2262"],
  ])("a span with %s is rejected", (_name, changes, sample) => {
    const { count, drops } = read(request(span(changes)))
    expect(count).toBe(0)
    expect(drops).toMatchObject([
      { reason: "invalid", category: "span", count: 1, sample: expect.stringContaining(sample) },
    ])
  })

  test.each([
    ["the same end as start", { startTimeUnixNano: "10", endTimeUnixNano: "10" }],
    ["a start in 1970", { startTimeUnixNano: "1", endTimeUnixNano: "2" }],
    ["the latest start", { startTimeUnixNano: "2000000000000000000", endTimeUnixNano: "2000000000000000000" }],
    ["the largest end", { endTimeUnixNano: "9223372036854775807" }],
  ])("a span with %s is accepted", (_name, changes) => {
    expect(read(request(span(changes)))).toMatchObject({ count: 1, drops: [] })
  })

  test("an invalid link is dropped and its span is accepted", () => {
    const links = [
      { traceId: "ab".repeat(16), spanId: "cd".repeat(8) },
      { traceId: "", spanId: "cd".repeat(8) },
    ]
    const { span: linked, drops } = read(request(span({ links })))
    expect(linked!.links).toHaveLength(1)
    expect(drops).toMatchObject([{ reason: "invalid", category: "default", count: 1 }])
  })

  test.each([0, 1, 2, 3, 4])("with an invalid span at position %i of five, the other four are accepted", (position) => {
    const spans = Array.from({ length: 5 }, (_, index) => span({ name: `s${index}` }))
    spans[position].spanId = "00".repeat(8)
    const decoded = decodeTraces(encode(request(...spans), encoding), encoding, NOT_LATEST)
    const names = ["s0", "s1", "s2", "s3", "s4"].filter((_, index) => index !== position)
    expect(decoded.ok && decoded.spans.map(({ name }) => name)).toStrictEqual(names)
    expect(decoded.ok && decoded.drops).toMatchObject([{ reason: "invalid", category: "span", count: 1 }])
  })
})

test.each([
  ["before", [0, 1]],
  ["after", [1, 0]],
])("a malformed scope below a malformed resource rejects its spans and no others, %s valid ones", (_where, order) => {
  const groups = [
    { resource: 5, scopeSpans: [{ scope: 5, spans: [span()] }] },
    { resource: {}, scopeSpans: [{ scope: {}, spans: [span(), span()] }] },
  ]
  const body = encode({ resourceSpans: order.map((index) => groups[index]) }, "json")
  const decoded = decodeTraces(body, "json", NOT_LATEST)
  if (!decoded.ok) throw new Error(decoded.problem)
  expect(decoded.spans).toHaveLength(2)
  expect(decoded.drops.map(({ count, category }) => [category, count])).toEqual([["span", 1]])
})

test("a malformed resource rejects its spans and no others", () => {
  const value = {
    resourceSpans: [
      { resource: { attributes: [{ key: "k", value: "v" }] }, scopeSpans: [{ spans: [span(), span()] }] },
      { scopeSpans: [{ scope: { name: 5 }, spans: [span()] }, { spans: [span({ name: "valid" })] }] },
    ],
  }
  const decoded = decodeTraces(encode(value, "json"), "json", NOT_LATEST)
  expect(decoded).toMatchObject({
    ok: true,
    spans: [{ name: "valid" }],
    drops: [{ reason: "malformed", category: "span", count: 3 }],
  })
})

function cut(count = 1) {
  return [expect.objectContaining({ reason: "limit_attributes", category: "default", count })]
}

function nested(kind: string, levels: number): Json {
  let value: Json = { boolValue: true }
  for (let level = 1; level < levels; level += 1)
    value = kind === "list" ? { arrayValue: { values: [value] } } : { kvlistValue: { values: [{ key: "k", value }] } }
  return value
}

/** The number of levels down to `true`, or to the empty value in place of a cut. */
function depthOf(value: unknown): number {
  if (Array.isArray(value)) return 1 + depthOf(value[0])
  if (value instanceof Map) return 1 + depthOf(value.get("k"))
  return 1
}

function deepJson(levels: number): Uint8Array {
  const open = '{"arrayValue":{"values":['.repeat(levels)
  return Buffer.from(`{"resourceSpans":[{"resource":{"attributes":[{"key":"k","value":${open}`)
}

function deepProtobuf(levels: number): Uint8Array {
  let bytes = Buffer.alloc(0)
  const wrap = (tag: number) => {
    const length: number[] = []
    for (let rest = bytes.length; ; rest >>>= 7) {
      length.push(rest > 127 ? (rest & 127) | 128 : rest)
      if (rest <= 127) break
    }
    bytes = Buffer.concat([Buffer.from([tag, ...length]), bytes])
  }
  for (let level = 0; level < levels; level += 1) {
    wrap(0x0a) // ArrayValue.values
    wrap(0x2a) // AnyValue.arrayValue
  }
  for (const tag of [0x12, 0x0a, 0x0a, 0x0a]) wrap(tag) // KeyValue.value, Resource.attributes, resource, resourceSpans
  return bytes
}
