import { describe, expect, it } from "vitest"
import {
  indexesWhere,
  pick,
  sortedIndexes,
  textAt,
  textsOf,
} from "#otel/inspector/queries/trace/columns/typed-arrays.ts"

describe("sorted indexes", () => {
  const sorted = (...values: number[]) => [...sortedIndexes(Float64Array.from(values))]

  it("order numbers of any sign and size, equal ones as they were", () => {
    expect(sorted(3, -1, 2 ** 52, 0, -0, 0.5, -(2 ** 40), 3)).toEqual([6, 1, 3, 4, 5, 0, 7, 2])
    expect(sorted(Infinity, 1, -Infinity)).toEqual([2, 1, 0])
    expect(sorted(7, 7, 7)).toEqual([0, 1, 2])
    expect(sorted()).toEqual([])
  })

  it("order many numbers as a sort by comparison does", () => {
    const values = Float64Array.from({ length: 20_000 }, (_, i) => ((i * 7_919) % 10_007) * 1e6 - 5e9)
    const compared = Array.from(values.keys()).sort((a, b) => values[a]! - values[b]! || a - b)
    expect([...sortedIndexes(values)]).toEqual(compared)
  })
})

describe("a column", () => {
  it("keeps its type and the order of the indexes when values are picked", () => {
    expect(pick(Float64Array.of(0.5, 1.5, 2.5), Int32Array.of(2, 0))).toEqual(Float64Array.of(2.5, 0.5))
    expect(pick(Uint8Array.of(1, 2), new Int32Array())).toEqual(new Uint8Array())
  })

  it("of texts has each distinct text once", () => {
    const texts = textsOf(["b", "a", "b", ""])
    expect(texts).toEqual({ values: ["b", "a", ""], indexes: Uint32Array.of(0, 1, 0, 2) })
    expect([0, 1, 2, 3, 4].map((index) => textAt(texts, index))).toEqual(["b", "a", "b", "", ""])
  })

  it("is searched for the indexes that pass", () => {
    expect(indexesWhere(6, (index) => index % 2 === 1)).toEqual(Int32Array.of(1, 3, 5))
  })
})
