import { describe, expect, it } from "vitest"
import {
  attributeRows,
  SHOWN_LIST_LIMIT,
  SHOWN_STACK_LIMIT,
  SHOWN_TEXT_LIMIT,
  spanDetail,
} from "#otel/inspector/queries/trace/span-detail.ts"
import type { AttributeValue } from "#otel/protocol/records/attributes.ts"
import { nanoseconds } from "#otel/protocol/records/time.ts"
import { EPOCH, makeSpan } from "#tests/inspector/queries/make-span.ts"

const event = (name: string, at: bigint, attributes: [string, AttributeValue][] = []) => ({
  time: nanoseconds(EPOCH + at),
  name,
  attributes: new Map(attributes),
})

const rowOf = (value: AttributeValue) => attributeRows(new Map([["key", value]]))[0]

describe("the detail of a span", () => {
  it("is plain JSON with exact times", () => {
    const detail = spanDetail(makeSpan(2, { parent: 1, from: 3n, to: 8n, source: "sentry" }))
    expect(detail).toMatchObject({ durationNano: "5", startTimeUnixNano: String(EPOCH + 3n), source: "sentry" })
    expect(JSON.parse(JSON.stringify(detail))).toEqual(detail)
  })

  it("reads exceptions from their events, which retain their other attributes", () => {
    const thrown = event("exception", 4n, [
      ["exception.type", "TypeError"],
      ["exception.message", "x is not a function"],
      ["exception.stacktrace", "TypeError: x\n  at y"],
      ["exception.escaped", true],
    ])
    const [shown] = spanDetail(makeSpan(1, { from: 1n, events: [thrown] })).events
    expect(shown?.offsetNano).toBe("3")
    expect(shown?.exception).toMatchObject({
      type: "TypeError",
      message: "x is not a function",
      stack: "TypeError: x\n  at y",
    })
    expect(shown?.attributes.map(({ key }) => key)).toEqual(["exception.escaped"])
  })

  it("cuts a huge stack trace and a long list of events, and reports their full length", () => {
    const huge = event("exception", 0n, [["exception.stacktrace", "x".repeat(SHOWN_STACK_LIMIT + 7)]])
    const many = Array.from({ length: 1_000 }, () => huge)
    const detail = spanDetail(makeSpan(1, { events: many }))
    expect(detail.events).toHaveLength(SHOWN_LIST_LIMIT)
    expect(detail.eventCount).toBe(1_000)
    expect(detail.events[0]?.exception?.stack).toHaveLength(SHOWN_STACK_LIMIT)
    expect(detail.events[0]?.exception?.stackCutFrom).toBe(SHOWN_STACK_LIMIT + 7)
  })
})

describe("attributes", () => {
  it.each<[AttributeValue, string, string]>([
    ["plain", "text", "plain"],
    ["", "text", ""],
    [null, "empty", ""],
    [true, "boolean", "true"],
    [1.5, "number", "1.5"],
    [9_007_199_254_740_993n, "number", "9007199254740993"],
    [new Uint8Array([0, 255]), "bytes", "00 ff"],
    [["a", 2n], "list", '[\n  "a",\n  "2"\n]'],
    [new Map<string, AttributeValue>([["__proto__", 1]]), "map", '{\n  "__proto__": 1\n}'],
  ])("show %o as %s", (value, type, text) => {
    expect(rowOf(value)).toEqual({ key: "key", type, text, cutFrom: undefined })
  })

  it("are sorted by key", () => {
    const rows = attributeRows(
      new Map([
        ["b", 1],
        ["a", 2],
        ["B", 3],
      ]),
    )
    expect(rows.map(({ key }) => key)).toEqual(["B", "a", "b"])
  })

  it("are cut when they are long, at a whole character, with their full length", () => {
    const long = `${"x".repeat(SHOWN_TEXT_LIMIT - 1)}😀 and more`
    expect(rowOf(long)).toMatchObject({ text: "x".repeat(SHOWN_TEXT_LIMIT - 1), cutFrom: long.length })
  })
})
