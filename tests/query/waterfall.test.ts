import { describe, expect, it } from "vitest"
import { buildWaterfall, type Waterfall } from "#otel/query/waterfall.ts"
import { EPOCH, makeSpan, spanId } from "#tests/query/make-span.ts"

const outline = ({ rows }: Waterfall) => rows.map(({ span, depth }) => `${"  ".repeat(depth)}${span.name}`)
const rowOf = (waterfall: Waterfall, number: number) =>
  waterfall.rows.find(({ span }) => span.spanId === spanId(number)) ?? expect.fail(`no row for ${number}`)

describe("a waterfall", () => {
  it("shows parents before children and siblings by clock, whatever order they came in", () => {
    const waterfall = buildWaterfall([
      makeSpan(4, { parent: 2, from: 40n }),
      makeSpan(3, { parent: 1, from: 30n }),
      makeSpan(2, { parent: 1, from: 20n }),
      makeSpan(1, { from: 10n }),
    ])
    expect(outline(waterfall)).toEqual(["span 1", "  span 2", "    span 4", "  span 3"])
    expect(waterfall.rows.map(({ parent }) => parent)).toEqual([-1, 0, 1, 0])
    expect(waterfall.rows.map(({ childCount }) => childCount)).toEqual([2, 1, 0, 0])
    expect(waterfall.rows.map(({ descendantCount }) => descendantCount)).toEqual([3, 1, 0, 0])
  })

  it("puts the longer of two that start together first", () => {
    const waterfall = buildWaterfall([makeSpan(1, { from: 0n, to: 5n }), makeSpan(2, { from: 0n, to: 9n })])
    expect(outline(waterfall)).toEqual(["span 2", "span 1"])
  })

  it("keeps times exact to the nanosecond, past what a number can hold", () => {
    const waterfall = buildWaterfall([
      makeSpan(1, { from: 0n, to: 1n }),
      makeSpan(2, { from: 2n, to: 12_345_678_901n }),
    ])
    expect(waterfall.startTime).toBe(EPOCH)
    expect(waterfall.duration).toBe(12_345_678_901n)
  })

  it("orders spans that a number could not tell apart", () => {
    const waterfall = buildWaterfall([makeSpan(1, { from: 1n }), makeSpan(2, { from: 0n })])
    expect(outline(waterfall)).toEqual(["span 2", "span 1"])
  })

  it("stands a span whose parent has not arrived at the top level, and names the parent once", () => {
    const waterfall = buildWaterfall([makeSpan(1), makeSpan(2, { parent: 9 }), makeSpan(3, { parent: 9 })])
    expect(outline(waterfall)).toEqual(["span 1", "span 2", "span 3"])
    expect(waterfall.missingParents).toEqual([spanId(9)])
    expect(waterfall.rows.map(({ parentMissing }) => parentMissing)).toEqual([false, true, true])
  })

  it("cuts a ring of parents at its earliest span and loses no row", () => {
    const waterfall = buildWaterfall([
      makeSpan(1, { parent: 3, from: 50n }),
      makeSpan(2, { parent: 1, from: 10n }),
      makeSpan(3, { parent: 2, from: 60n }),
      makeSpan(4, { parent: 3, from: 70n }),
    ])
    expect(outline(waterfall)).toEqual(["span 2", "  span 3", "    span 1", "    span 4"])
    expect(waterfall.ringCount).toBe(1)
    expect(rowOf(waterfall, 2).ringCut).toBe(true)
  })

  it("cuts a ring at its earliest span also when an earlier span hangs below a later one of it", () => {
    const waterfall = buildWaterfall([
      makeSpan(1, { parent: 3, from: 0n }),
      makeSpan(2, { parent: 3, from: 10n }),
      makeSpan(3, { parent: 2, from: 60n }),
    ])
    expect(outline(waterfall)).toEqual(["span 2", "  span 3", "    span 1"])
  })

  it("cuts a span that is its own parent, and every one of several rings", () => {
    const waterfall = buildWaterfall([
      makeSpan(1, { parent: 1 }),
      makeSpan(2, { parent: 3 }),
      makeSpan(3, { parent: 2 }),
      makeSpan(4),
    ])
    expect(outline(waterfall)).toEqual(["span 1", "span 2", "  span 3", "span 4"])
    expect(waterfall.ringCount).toBe(2)
    expect(waterfall.missingParents).toEqual([])
  })

  it("shows a span that came by two protocols once, as OTLP tells it", () => {
    const waterfall = buildWaterfall([
      makeSpan(1, { source: "sentry", name: "sentry's" }),
      makeSpan(1, { name: "otlp's" }),
    ])
    expect(outline(waterfall)).toEqual(["otlp's"])
    expect(waterfall.rows[0]?.sources).toEqual(["sentry", "otlp"])
  })

  it("shows two services that share one span id as two spans", () => {
    const waterfall = buildWaterfall([makeSpan(1, { service: "caller" }), makeSpan(1, { service: "called" })])
    expect(waterfall.rows).toHaveLength(2)
  })

  it("of nothing is empty", () => {
    expect(buildWaterfall([])).toEqual({ rows: [], startTime: 0n, duration: 0n, missingParents: [], ringCount: 0 })
  })
})

describe("a waterfall of 100,000 spans", () => {
  const many = 100_000

  it("in one chain has a row for each, each one deeper", () => {
    const chain = Array.from({ length: many }, (_, i) => makeSpan(i + 1, i === 0 ? {} : { parent: i }))
    const { rows } = buildWaterfall(chain)
    expect(rows).toHaveLength(many)
    expect(rows.at(-1)?.depth).toBe(many - 1)
    expect(rows[0]?.descendantCount).toBe(many - 1)
  })

  it("in one ring has a row for each", () => {
    const ring = Array.from({ length: many }, (_, i) => makeSpan(i + 1, { parent: i === 0 ? many : i }))
    const { rows, ringCount } = buildWaterfall(ring)
    expect(rows).toHaveLength(many)
    expect(ringCount).toBe(1)
  })

  it("under one parent, and each with a missing one, has a row for each", () => {
    const flat = Array.from({ length: many }, (_, i) => makeSpan(i + 1, i === 0 ? {} : { parent: 1 }))
    expect(buildWaterfall(flat).rows[0]?.childCount).toBe(many - 1)
    const orphans = Array.from({ length: many }, (_, i) => makeSpan(i + 1, { parent: many + i + 1 }))
    expect(buildWaterfall(orphans).missingParents).toHaveLength(many)
  })

  it("is the same tree for any parents whatever: every span once, before all that are below it", () => {
    const random = seeded(7)
    const tangle = Array.from({ length: many }, (_, i) =>
      makeSpan(i + 1, { parent: 1 + Math.floor(random() * many * 1.1), from: BigInt(Math.floor(random() * 1e9)) }),
    )
    const { rows } = buildWaterfall(tangle)
    expect(new Set(rows.map(({ span }) => span.spanId)).size).toBe(many)
    expect(rows.filter(({ parent }, index) => parent >= index)).toEqual([])
    expect(rows.filter(({ parent, depth }) => depth !== (rows[parent]?.depth ?? -1) + 1)).toEqual([])
    const wrongEnd = rows.filter(
      ({ depth, descendantCount }, index) => (rows[index + descendantCount + 1]?.depth ?? 0) > depth,
    )
    expect(wrongEnd).toEqual([])
  })
})

/** Mulberry32: the same numbers on each run. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
