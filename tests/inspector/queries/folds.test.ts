import { describe, expect, it } from "vitest"
import { flameLanes } from "#otel/inspector/queries/trace/flame-lanes.ts"
import {
  closedFolds,
  foldedRows,
  foldedTimes,
  foldExtent,
  foldsAbove,
  foldsOf,
} from "#otel/inspector/queries/trace/folds.ts"
import { visibleRows } from "#otel/inspector/queries/trace/waterfall-table.ts"
import type { SpanRecord } from "#otel/protocol/records/span.ts"
import { nanoseconds } from "#otel/protocol/records/time.ts"
import { EPOCH, makeSpan, type SpanSketch } from "#tests/inspector/queries/make-span.ts"
import { tableOf } from "#tests/inspector/queries/make-waterfall.ts"

const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))
const query = (number: number, parent: number, more: SpanSketch = {}) =>
  makeSpan(number, { parent, name: "query", from: BigInt(number * 10), to: BigInt(number * 10 + 4), ...more })

/** Rows of the folds of the spans. */
const foldsIn = (...spans: SpanRecord[]) => [...foldsOf(tableOf(spans)).members.values()]

describe("equal siblings fold", () => {
  it("from five on, wherever they stand among their siblings", () => {
    expect(foldsIn(makeSpan(1), ...times(4, (i) => query(2 + i, 1)))).toEqual([])
    const alternating = times(10, (i) => query(2 + i, 1, { name: i % 2 === 0 ? "price" : "stock" }))
    expect(foldsIn(makeSpan(1), ...alternating)).toEqual([
      [1, 3, 5, 7, 9],
      [2, 4, 6, 8, 10],
    ])
  })

  it("only where name, service and kind are the same", () => {
    const differing: SpanSketch[] = [{}, { name: "other" }, { service: "db" }, { kind: "client" }, {}]
    expect(foldsIn(makeSpan(1), ...times(5, (i) => query(2 + i, 1, differing[i])))).toEqual([])
  })

  it("only under one parent", () => {
    expect(foldsIn(makeSpan(1), makeSpan(2, { parent: 1 }), ...times(8, (i) => query(10 + i, 1 + (i % 2))))).toEqual([])
  })

  it("with everything below them, if that is equal too, in whatever order", () => {
    const withChildren = (number: number, names: readonly string[]) => [
      query(number, 1, { to: BigInt(number * 10 + 9) }),
      ...names.map((name, i) => makeSpan(number * 100 + i, { parent: number, name, from: BigInt(number * 10 + i) })),
    ]
    const spans = [
      makeSpan(1, { to: 9_999n }),
      ...times(6, (i) => withChildren(2 + i, i % 2 === 0 ? ["send", "read"] : ["read", "send"])).flat(),
      ...withChildren(8, ["send", "send"]),
    ]
    expect(foldsIn(...spans)).toEqual([[1, 4, 7, 10, 13, 16]])
  })

  it("not if they failed, threw, or something below them did, and not if an error was reported in them", () => {
    const exception = { time: nanoseconds(EPOCH), name: "exception", attributes: new Map() }
    const spans = [
      makeSpan(1),
      ...times(8, (i) => query(2 + i, 1, i === 2 ? { events: [exception] } : {})),
      query(10, 1, { status: { code: "error", message: "" } }),
      query(11, 1),
      query(30, 11, { status: { code: "error", message: "" } }),
    ]
    const table = tableOf(spans)
    expect([...foldsOf(table).members.values()]).toEqual([[1, 2, 4, 5, 6, 7, 8]])
    expect([...foldsOf(table, (row) => row === 8).members.values()]).toEqual([[1, 2, 4, 5, 6, 7]])
  })
})

describe("a closed fold", () => {
  const spans = [
    makeSpan(1, { from: 0n, to: 200n }),
    ...times(6, (i) => query(2 + i, 1)),
    ...times(6, (i) =>
      makeSpan(20 + i, { parent: 2 + i, name: "rows", from: BigInt(20 + i * 10 + 1), to: BigInt(20 + i * 10 + 2) }),
    ),
    makeSpan(50, { parent: 1, from: 100n, to: 150n }),
  ]
  const table = tableOf(spans)
  const folds = foldsOf(table)
  const rows = (...opened: number[]) => [
    ...visibleRows(table, new Set(), undefined, foldedRows(table, closedFolds(folds, new Set(opened)))),
  ]

  it("is one row; open it has all", () => {
    expect(rows()).toEqual([0, 1, 13])
    expect(rows(1)).toEqual(times(14, (row) => row))
  })

  it("takes what its members take together, and is one bar of the flame graph over all of them", () => {
    const members = folds.members.get(1)!
    expect(foldExtent(table, members)).toEqual({ end: 74, total: 24 })
    const closed = closedFolds(folds, new Set())
    const columns = foldedTimes(table, closed)
    expect([columns.offset[1], columns.duration[1], columns.duration[3]]).toEqual([20, 54, 4])
    const { lane, count } = flameLanes(columns, foldedRows(table, closed))
    expect([...lane]).toEqual([0, 1, ...times(11, () => -1), 1])
    expect(count).toBe(2)
  })

  it("is opened by a row in it, or below one, but not where all its members are meant", () => {
    const opened = (...among: number[]) => [...foldsAbove(table, folds, among)]
    expect(opened(5)).toEqual([1])
    expect(opened(1)).toEqual([1])
    expect(opened(2)).toEqual([1])
    expect(opened(1, 3, 5, 7, 9, 11)).toEqual([])
    expect(opened(1, 3, 5, 7, 9, 11, 12)).toEqual([1])
    expect(opened(0, 13)).toEqual([])
  })
})

it("folds of 100,000 spans under one parent are one row, and of 100,000 different ones none", () => {
  const flat = (name: (i: number) => string) =>
    foldsIn(makeSpan(1), ...times(100_000, (i) => makeSpan(i + 2, { parent: 1, name: name(i) })))
  expect(flat(() => "query").map((rows) => rows.length)).toEqual([100_000])
  expect(flat((i) => `query ${i}`)).toEqual([])
})
