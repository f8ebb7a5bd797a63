import { describe, expect, it } from "vitest"
import { SpanIds } from "#otel/inspector/queries/trace/columns/span-ids.ts"
import { spanId } from "../make-span.ts"

describe("a column of span ids", () => {
  const texts = ["00f067aa0ba902b7", "ffffffffffffffff", "0000000000000001", "00f067aa0ba902b7"]
  const ids = SpanIds.of(texts)

  it("gives back each id, also of those picked", () => {
    expect(texts.map((_, index) => ids.text(index))).toEqual(texts)
    expect(ids.pick(Int32Array.of(2, 0)).text(0)).toBe(texts[2])
    expect(ids.text(4)).toBe("")
  })

  it("finds the first of equal ids, and nothing for one that is not there or is no id", () => {
    expect(texts.map((text) => ids.indexOf(text))).toEqual([0, 1, 2, 0])
    expect(["0000000000000002", "", "00f067aa0ba902b", "zzf067aa0ba902b7"].map((text) => ids.indexOf(text))).toEqual([
      -1, -1, -1, -1,
    ])
  })

  it("reads zeros, and what is no id, as none: it equals no other", () => {
    const parents = SpanIds.of(["0000000000000000", "", "not an id", spanId(1)])
    expect([0, 1, 2, 3].map((index) => parents.isNone(index))).toEqual([true, true, true, false])
    expect([...parents.indexesOf(parents)]).toEqual([-1, -1, -1, 3])
    expect(parents.text(0)).toBe("")
  })

  it("finds each of 100,000 ids that differ in their first or last digits only", () => {
    const many = Array.from({ length: 50_000 }, (_, i) => i.toString(16).padStart(8, "0"))
    const column = SpanIds.of([...many.map((word) => `${word}00000001`), ...many.map((word) => `abcdef00${word}`)])
    expect(column.indexesOf(column).every((found, index) => found === index)).toBe(true)
  })

  it("knows whether each id is there once", () => {
    const areDistinct = (...ids: string[]) => SpanIds.of(ids).areDistinct
    expect(areDistinct(...texts)).toBe(false)
    expect(areDistinct(...texts.slice(1))).toBe(true)
    expect(areDistinct(spanId(1), "no id")).toBe(false)
    expect(areDistinct()).toBe(true)
  })

  it("orders ids as their texts", () => {
    const order = Array.from(texts, (_, index) => index).sort((a, b) => ids.compare(a, b))
    expect(order.map((index) => texts[index])).toEqual(texts.toSorted())
  })

  it("of no ids finds none", () => {
    expect([...SpanIds.of([]).indexesOf(ids)]).toEqual([-1, -1, -1, -1])
  })
})
