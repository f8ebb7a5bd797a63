import { describe, expect, test } from "vitest"
import { decodeTraces } from "#otel/protocol/otlp/decode-traces.ts"
import {
  END,
  EXAMPLE,
  type Json,
  NOT_LATEST,
  request,
  span,
  SPAN_ID,
  START,
  TRACE_ID,
  withAttributes,
} from "./requests.ts"

/** The clauses of https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding and of proto3's JSON mapping. */

function decode(text: string) {
  return decodeTraces(Buffer.from(text), "json", NOT_LATEST)
}

function read(value: Json) {
  const decoded = decode(JSON.stringify(value))
  if (!decoded.ok) throw new Error(decoded.problem)
  return decoded
}

function readOne(value: Json) {
  const { spans, drops } = read(value)
  expect(drops).toStrictEqual([])
  expect(spans).toHaveLength(1)
  return spans[0]!
}

function readValue(value: Json) {
  return readOne(withAttributes({ key: "k", value })).attributes.get("k")
}

function rejection(value: Json) {
  const { spans, drops } = read(value)
  expect(spans).toHaveLength(0)
  expect(drops).toHaveLength(1)
  expect(drops[0]).toMatchObject({ category: "span", count: 1 })
  return `${drops[0]!.reason}: ${drops[0]!.sample}`
}

/** A span with one field as JSON text, for numbers that JavaScript cannot represent. */
function withRaw(field: string, text: string): string {
  return JSON.stringify(request(span({ [field]: "<raw>" }))).replace('"<raw>"', text)
}

describe("ids are hexadecimal, in either case, and not base64", () => {
  test("lower and upper case are the same id", () => {
    const upper = readOne(request(span({ traceId: TRACE_ID.toUpperCase(), spanId: SPAN_ID.toUpperCase() })))
    expect(upper).toStrictEqual(readOne(request(span())))
    expect(upper.traceId).toBe(TRACE_ID)
  })
  test.each([
    ["base64 trace id", { traceId: Buffer.from(TRACE_ID, "hex").toString("base64") }, "malformed: traceId is not hex"],
    ["base64 span id", { spanId: Buffer.from(SPAN_ID, "hex").toString("base64") }, "malformed: spanId is not hex"],
    ["short trace id", { traceId: TRACE_ID.slice(2) }, "invalid: traceId"],
    ["long span id", { spanId: `${SPAN_ID}00` }, "invalid: spanId"],
    ["zero trace id", { traceId: "0".repeat(32) }, "invalid: traceId"],
    ["zero span id", { spanId: "0".repeat(16) }, "invalid: spanId"],
    ["absent trace id", { traceId: undefined }, "invalid: traceId"],
    ["number as span id", { spanId: 1 }, "malformed: spanId"],
    ["short parent id", { parentSpanId: "abcd" }, "invalid: parentSpanId"],
  ])("%s rejects the span", (_name, changes, expected) => {
    expect(rejection(request(span(changes)))).toContain(expected)
  })
  test.each([
    ["absent", undefined],
    ["null", null],
    ["empty", ""],
    ["all zeros", "0".repeat(16)],
  ])("a parent id that is %s means a root", (_name, parentSpanId) => {
    expect(readOne(request(span({ parentSpanId }))).parentSpanId).toBeUndefined()
  })
})

describe("64-bit integers are text or numbers and keep every digit", () => {
  test.each([
    ["text", `"${START}"`],
    ["a number past 2^53", START],
    ["a number with space after it", `${START} \n`],
  ])("time as %s", (_name, raw) => {
    const decoded = decode(withRaw("startTimeUnixNano", raw))
    expect(decoded).toMatchObject({ ok: true, drops: [], spans: [{ startTime: BigInt(START) }] })
  })
  test.each([
    ["1.5e18", 1_500_000_000_000_000_000n],
    ["1500000000000000000", 1_500_000_000_000_000_000n],
  ])("%s as time is %s", (raw, expected) => {
    expect(decode(withRaw("startTimeUnixNano", raw))).toMatchObject({ ok: true, spans: [{ startTime: expected }] })
  })
  test.each([
    ["9223372036854775807", 2n ** 63n - 1n],
    ["-9223372036854775808", -(2n ** 63n)],
    ["9007199254740993", 9_007_199_254_740_993n],
    ["-9007199254740993", -9_007_199_254_740_993n],
    ["0", 0n],
    ["-0", 0n],
    ["42.0", 42n],
    ['"42"', 42n],
    ['"-42"', -42n],
  ])("intValue %s is %s", (raw, expected) => {
    const text = JSON.stringify(withAttributes({ key: "k", value: { intValue: "<raw>" } })).replace('"<raw>"', raw)
    const decoded = decode(text)
    expect(decoded.ok && decoded.spans[0]?.attributes.get("k")).toBe(expected)
  })
  test.each([
    ["9223372036854775808"],
    ["-9223372036854775809"],
    ["1.5"],
    ['"1.5"'],
    ['"0x10"'],
    ['" 1"'],
    ['""'],
    ["true"],
  ])("intValue %s rejects the span", (raw) => {
    const text = JSON.stringify(withAttributes({ key: "k", value: { intValue: "<raw>" } })).replace('"<raw>"', raw)
    expect(decode(text)).toMatchObject({ ok: true, spans: [], drops: [{ reason: "malformed", count: 1 }] })
  })
  test("digits in texts and keys stay unchanged", () => {
    const name = 'say "1544712660000000123", {1544712660000000123} \\'
    expect(readOne(request(span({ name }))).name).toBe(name)
    const escaped = 'a"1544712660000000123,"b\\"1544712660000000123}'
    expect(readOne(request(span({ name: escaped }))).name).toBe(escaped)
  })
  test.each([["007"], ["1544712660000000123: 1"], ["--1544712660000000123"], ["1544712660000000123 1"]])(
    "%s does not become valid JSON",
    (raw) => {
      expect(decode(`{"a":{${raw}}}`)).toMatchObject({ ok: false })
      expect(decode(`{"a":[${raw}]}`)).toMatchObject({ ok: false })
    },
  )
})

describe("enums are integers and never names", () => {
  test.each([0, 1, 2, 3, 4, 5])("kind %i is read", (kind) => {
    const kinds = ["unspecified", "internal", "server", "client", "producer", "consumer"]
    expect(readOne(request(span({ kind }))).kind).toBe(kinds[kind])
  })
  test.each([["SPAN_KIND_SERVER"], ["2"], [2.5], [true]])("kind %j rejects the span", (kind) => {
    expect(rejection(request(span({ kind })))).toBe("malformed: kind is not an integer")
  })
  test("a status code given by name rejects the span", () => {
    expect(rejection(request(span({ status: { code: "STATUS_CODE_ERROR" } })))).toContain("status.code")
  })
  test("unknown numbers are the default", () => {
    expect(readOne(request(span({ kind: 99, status: { code: 7 } })))).toMatchObject({
      kind: "unspecified",
      status: { code: "unset" },
    })
  })
})

describe("names are lowerCamelCase and unknown ones are ignored", () => {
  test("unknown fields anywhere", () => {
    const value = request(span({ future: { deep: [1] }, status: { code: 2, more: null } }))
    value.more = [{}]
    value.resourceSpans[0].entityRefs = []
    value.resourceSpans[0].scopeSpans[0].instrumentationLibrary = { name: "old" }
    expect(readOne(value).status.code).toBe("error")
  })
  test("snake_case names are unknown", () => {
    const { spans, drops } = read({ resource_spans: [{ scope_spans: [{ spans: [span()] }] }] })
    expect(spans).toStrictEqual([])
    expect(drops).toStrictEqual([])
    expect(readOne(request(span({ trace_state: "a=1" }))).traceState).toBe("")
  })
  test("null is the default everywhere", () => {
    const nulls = Object.fromEntries(
      ["parentSpanId", "traceState", "flags", "name", "kind", "attributes", "events", "links", "status"].map((key) => [
        key,
        null,
      ]),
    )
    expect(readOne(request(span(nulls)))).toStrictEqual(readOne(request(span({ name: "" }))))
    expect(read({ resourceSpans: null }).spans).toStrictEqual([])
  })
  test.each(["__proto__", "constructor", "hasOwnProperty", "toString"])("the key %s does no harm", (key) => {
    const text = `{"${key}":{"polluted":1},${JSON.stringify(
      request(span({ attributes: [{ key, value: { kvlistValue: { values: [{ key, value: { intValue: 1 } }] } } }] })),
    ).slice(1)}`
    const decoded = decode(text.replace('"traceId"', `"${key}":{"polluted":1},"traceId"`))
    expect(decoded.ok && decoded.spans[0]?.attributes.get(key)).toStrictEqual(new Map([[key, 1n]]))
    expect(({} as Json).polluted).toBeUndefined()
  })
})

describe("values of attributes", () => {
  test.each([
    ["text", { stringValue: "a" }, "a"],
    ["empty text", { stringValue: "" }, ""],
    ["true", { boolValue: true }, true],
    ["false", { boolValue: false }, false],
    ["double", { doubleValue: 0.5 }, 0.5],
    ["double as text", { doubleValue: "1e3" }, 1000],
    ["NaN", { doubleValue: "NaN" }, Number.NaN],
    ["infinity", { doubleValue: "-Infinity" }, Number.NEGATIVE_INFINITY],
    ["bytes", { bytesValue: "AQID" }, new Uint8Array([1, 2, 3])],
    ["bytes in the URL alphabet, unpadded", { bytesValue: "-_8" }, new Uint8Array([0xfb, 0xff])],
    ["nothing", {}, null],
    ["null", null, null],
    ["a type set to null", { stringValue: null }, null],
    ["list", { arrayValue: { values: [{ intValue: "1" }, {}] } }, [1n, null]],
    ["empty list", { arrayValue: {} }, []],
    ["map", { kvlistValue: { values: [{ key: "a", value: { boolValue: true } }] } }, new Map([["a", true]])],
    ["a lone surrogate", { stringValue: "a\ud800b" }, "a\ufffdb"],
  ])("%s", (_name, value, expected) => {
    expect(readValue(value)).toStrictEqual(expected)
  })
  test.each([
    ["number as text", { stringValue: 5 }],
    ["text as boolean", { boolValue: "true" }],
    ["word as double", { doubleValue: "much" }],
    ["bytes that are not base64", { bytesValue: "*" }],
    ["list that is none", { arrayValue: { values: {} } }],
    ["map that is text", { kvlistValue: "a" }],
    ["two types at once", { stringValue: "a", intValue: 1 }],
    ["value that is text", "a"],
  ])("%s rejects the span", (_name, value) => {
    expect(rejection(withAttributes({ key: "k", value }))).toMatch(/^malformed: /)
  })
  test("a key that is not text rejects the span", () => {
    expect(rejection(withAttributes({ key: 1, value: {} }))).toMatch(/^malformed: a key/)
  })
  test("of equal keys the last one counts, and the others are counted as dropped", () => {
    const { spans, drops } = read(
      withAttributes({ key: "k", value: { intValue: 1 } }, { key: "k", value: { intValue: 2 } }),
    )
    expect(spans[0]!.attributes).toStrictEqual(new Map([["k", 2n]]))
    expect(drops).toMatchObject([{ reason: "invalid", category: "default", count: 1 }])
  })
})

describe("a malformed request is refused as a whole", () => {
  test.each([
    ["nothing", ""],
    ["text", '"a"'],
    ["list", "[]"],
    ["null", "null"],
    ["unfinished", '{"resourceSpans":['],
    ["trailing junk", "{}x"],
    ["an object instead of a list", '{"resourceSpans":{}}'],
    ["single quotes", "{'resourceSpans':[]}"],
  ])("%s", (_name, text) => {
    expect(decode(text)).toMatchObject({ ok: false })
  })
  test("bytes that are not UTF-8", () => {
    expect(decodeTraces(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), "json", NOT_LATEST)).toStrictEqual({
      ok: false,
      reason: "malformed",
      problem: "the request is not valid UTF-8",
    })
  })
  test("five million nested lists", () => {
    expect(decode("[".repeat(5_000_000))).toMatchObject({ ok: false, problem: expect.stringContaining("nested") })
  })
  test("more objects than may be in memory", () => {
    const text = `{"a":[${"{},".repeat(2_000_000)}{}]}`
    expect(decode(text)).toMatchObject({ ok: false, reason: "too_large" })
  })
  test("an empty request is a success", () => {
    expect(decode("{}")).toStrictEqual({ ok: true, spans: [], drops: [] })
    expect(decodeTraces(new Uint8Array(), "protobuf", NOT_LATEST)).toStrictEqual({ ok: true, spans: [], drops: [] })
  })
})

test("the specification's own example is read in full", () => {
  expect(readOne(EXAMPLE)).toStrictEqual({
    traceId: TRACE_ID,
    spanId: SPAN_ID,
    parentSpanId: "eee19b7ec3c1b173",
    traceState: "",
    flags: 0,
    name: "I'm a server span",
    kind: "server",
    startTime: BigInt(START),
    endTime: BigInt(END),
    status: { code: "unset", message: "" },
    attributes: new Map([["my.span.attr", "some value"]]),
    events: [],
    links: [],
    dropped: { attributes: 0, events: 0, links: 0 },
    resource: { attributes: new Map([["service.name", "my.service"]]), schemaUrl: "" },
    scope: {
      name: "my.library",
      version: "1.0.0",
      attributes: new Map([["my.scope.attribute", "some scope attribute"]]),
    },
    source: "otlp",
  })
})
