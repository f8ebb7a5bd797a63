import { describe, expect, it } from "vitest"
import { clockSkew, earlySpans } from "#otel/inspector/queries/trace/clock-skew.ts"
import { criticalPath, pathTimes } from "#otel/inspector/queries/trace/critical-path.ts"
import { flameLanes } from "#otel/inspector/queries/trace/flame-lanes.ts"
import { linkRows } from "#otel/inspector/queries/trace/waterfall.ts"
import { coveredBy, selfTimes } from "#otel/inspector/queries/trace/self-time.ts"
import type { SpanRecord } from "#otel/protocol/records/span.ts"
import { makeSpan, spanId } from "#tests/inspector/queries/make-span.ts"
import { outlineOf, tableOf } from "#tests/inspector/queries/make-waterfall.ts"

const at = (number: number, from: number, to: number, parent?: number) =>
  makeSpan(number, { from: BigInt(from), to: BigInt(to), ...(parent !== undefined && { parent }) })

const selfOf = (spans: readonly SpanRecord[], number: number) => {
  const table = tableOf(spans)
  return selfTimes(table)[table.indexOf(spanId(number))]
}

/** The path as `number: from-to`, from the start of the trace. */
const pathOf = (...spans: SpanRecord[]) => {
  const table = tableOf(spans)
  return criticalPath(table)
    .toReversed()
    .map(({ row, from, to }) => `${Number.parseInt(table.spanId(row), 16)}: ${from}-${to}`)
}

describe("self time", () => {
  it("is the part that no child covers", () => {
    const spans = [at(1, 0, 100), at(2, 10, 30, 1), at(3, 50, 60, 1), at(4, 15, 20, 2)]
    expect(selfOf(spans, 1)).toBe(70)
    expect(selfOf(spans, 2)).toBe(15)
    expect(selfOf(spans, 4)).toBe(5)
  })

  it("counts the overlap of children once, also when one contains another", () => {
    expect(selfOf([at(1, 0, 100), at(2, 10, 50, 1), at(3, 30, 70, 1), at(4, 20, 40, 1)], 1)).toBe(40)
  })

  it("does not count the part of a child outside its parent: a call that is not awaited, or clock skew", () => {
    expect(selfOf([at(1, 100, 200), at(2, 50, 120, 1), at(3, 190, 900, 1), at(4, 300, 400, 1)], 1)).toBe(70)
  })

  it("is never negative", () => {
    const table = tableOf([at(1, 0, 10), at(2, 0, 10, 1), at(3, 0, 10, 1), at(4, 0, 0, 1)])
    expect(Math.min(...selfTimes(table))).toBe(0)
  })
})

it("the time that rows cover together counts overlaps and gaps once, in whatever order they are", () => {
  const table = tableOf([at(1, 0, 100), at(2, 10, 30, 1), at(3, 20, 50, 1), at(4, 70, 80, 1), at(5, 72, 75, 4)])
  expect(coveredBy(Int32Array.of(4, 3, 2, 1), table)).toBe(50)
  expect(coveredBy(Int32Array.of(2, 0), table)).toBe(100)
  expect(coveredBy(Int32Array.of(), table)).toBe(0)
  expect(coveredBy(new Int32Array(50_001), table)).toBeUndefined()
})

describe("the critical path", () => {
  it("walks back into the child that ended last, and omits children that nothing waited for", () => {
    const spans = [at(1, 0, 100), at(2, 10, 40, 1), at(3, 20, 90, 1), at(4, 50, 80, 3)]
    expect(pathOf(...spans)).toEqual(["1: 0-20", "3: 20-50", "4: 50-80", "3: 80-90", "1: 90-100"])
  })

  it("contains sequential children, with the gaps between them", () => {
    expect(pathOf(at(1, 0, 100), at(2, 10, 40, 1), at(3, 50, 90, 1))).toEqual([
      "1: 0-10",
      "2: 10-40",
      "1: 40-50",
      "3: 50-90",
      "1: 90-100",
    ])
  })

  it("continues where a page continues after the request for its HTML", () => {
    expect(pathOf(at(1, 20, 60), at(2, 0, 500, 1), at(3, 100, 400, 2))).toEqual([
      "2: 0-100",
      "3: 100-400",
      "2: 400-500",
    ])
  })

  it("has no piece where nothing ran", () => {
    expect(pathOf(at(1, 0, 10), at(2, 50, 60))).toEqual(["1: 0-10", "2: 50-60"])
  })

  it("covers no moment twice, and none outside the span or the trace, for arbitrary spans that start after their parent", () => {
    let state = 5
    const random = (below: number) => (state = (state * 48_271) % 2_147_483_647) % below
    const starts = [0]
    const spans = Array.from({ length: 3_000 }, (_, i) => {
      const parent = i === 0 ? undefined : random(i)
      const from = (starts[i] = parent === undefined ? 0 : starts[parent]! + random(20_000))
      return at(i + 1, from, from + random(20_000), parent === undefined ? undefined : parent + 1)
    })
    const table = tableOf(spans)
    const pieces = criticalPath(table).toReversed()
    expect(pieces.length).toBeGreaterThan(3)
    pieces.forEach(({ row, from, to }, index) => {
      expect(to).toBeGreaterThan(from)
      expect(from).toBeGreaterThanOrEqual(pieces[index - 1]?.to ?? 0)
      expect(from).toBeGreaterThanOrEqual(table.offset[row]!)
      expect(to).toBeLessThanOrEqual(table.offset[row]! + table.duration[row]!)
    })
  })

  it("of a chain of 100,000 spans is found without recursion", () => {
    const chain = Array.from({ length: 100_000 }, (_, i) => at(i + 1, i, 300_000 - i, i === 0 ? undefined : i))
    const times = pathTimes(criticalPath(tableOf(chain)))
    expect(times.size).toBe(100_000)
    expect(times.get(0)).toBe(2)
  })
})

describe("clock skew", () => {
  it("is at least as long as the child is early, and likely centers the child in its parent", () => {
    expect(clockSkew({ offset: 20, duration: 10 }, { offset: 50, duration: 30 })).toEqual({ least: 30, likely: 40 })
    expect(clockSkew({ offset: 20, duration: 90 }, { offset: 50, duration: 30 })).toEqual({ least: 30, likely: 30 })
  })

  it("is found where a span starts before its parent", () => {
    const { outline, links } = linkRows(outlineOf([at(1, 50, 90), at(2, 20, 30, 1), at(3, 50, 60, 1), at(4, 0, 1, 9)]))
    expect(Array.from(earlySpans(outline, links), (span) => outline.ids.text(span))).toEqual([spanId(2)])
  })
})

describe("the lanes of a flame graph", () => {
  it("are below the parent, and separate for concurrent spans", () => {
    const table = tableOf([at(1, 0, 100), at(2, 10, 60, 1), at(3, 30, 80, 1), at(4, 70, 90, 1), at(5, 12, 20, 2)])
    const { lane, count } = flameLanes(table)
    const of = (number: number) => lane[table.indexOf(spanId(number))]
    expect([of(1), of(2), of(3), of(4)]).toEqual([0, 1, 2, 1])
    expect(of(5)).toBe(2)
    expect(count).toBe(3)
  })

  it("of a page that starts before its server are below the server's, its parent", () => {
    const table = tableOf([at(1, 10, 100), at(2, 0, 200, 1), at(3, 20, 50, 1)])
    expect([...flameLanes(table).lane]).toEqual([0, 1, 2])
  })

  it("overlap only in the last lane, with a count", () => {
    const many = Array.from({ length: 700 }, (_, i) => at(i + 1, 0, 100))
    const { count, crowded } = flameLanes(tableOf(many))
    expect(count).toBe(512)
    expect(crowded).toBe(700 - 512)
  })
})
