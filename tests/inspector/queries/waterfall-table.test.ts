import { expect, it } from "vitest"
import { firstRows, MARK } from "#otel/inspector/queries/trace/waterfall-columns.ts"
import { encodeWaterfall } from "#otel/inspector/queries/trace/columns/waterfall-bytes.ts"
import { readWaterfall, visibleRows, withAncestors } from "#otel/inspector/queries/trace/waterfall-table.ts"
import type { SpanRecord } from "#otel/protocol/records/span.ts"
import { makeSpan, spanId } from "#tests/inspector/queries/make-span.ts"
import { tableOf, waterfallOf } from "#tests/inspector/queries/make-waterfall.ts"

const through = (...spans: SpanRecord[]) => ({ table: tableOf(spans) })

const family = () =>
  through(
    makeSpan(1, { from: 0n, to: 1_000n }),
    makeSpan(2, { parent: 1, from: 250n, to: 750n, service: "api", kind: "server" }),
    makeSpan(3, { parent: 2, from: 300n, to: 301n, status: { code: "error", message: "no" } }),
    makeSpan(4, { parent: 1, from: 900n, to: 800n }),
    makeSpan(5, { parent: 77, from: 999n, to: 1_000n }),
  )

it("sends every row to the page, with its time to the nanosecond", () => {
  const { table } = family()
  expect(table.length).toBe(5)
  const rows = [0, 1, 2, 3, 4]
  expect(rows.map((row) => table.spanId(row))).toEqual([1, 2, 3, 4, 5].map(spanId))
  expect(rows.map((row) => table.name(row))).toEqual([1, 2, 3, 4, 5].map((number) => `span ${number}`))
  expect(rows.map((row) => table.kind(row))).toEqual(["internal", "server", "internal", "internal", "internal"])
  expect([...table.offset]).toEqual([0, 250, 300, 900, 999])
  expect([...table.depth]).toEqual([0, 1, 2, 1, 0])
  expect([...table.parent]).toEqual([-1, 0, 1, 0, -1])
  expect([...table.childCount]).toEqual([2, 1, 0, 0, 0])
  expect([...table.descendantCount]).toEqual([3, 1, 0, 0, 0])
  expect(table.service(1)).toBe("api")
})

it("has position and size of each set of siblings, including the top level", () => {
  const { table } = family()
  expect([...table.placeInSet]).toEqual([1, 1, 1, 2, 2])
  expect([...table.setSize]).toEqual([2, 2, 1, 2, 2])
})

it("gives a span that ends before it starts no duration", () => {
  const { table } = family()
  expect(table.duration[3]).toBe(0)
})

it("marks spans that start before their parent, except page loads, which begin before their request reaches the server", () => {
  const spans = [
    makeSpan(1, { from: 50n }),
    makeSpan(2, { parent: 1, from: 20n, kind: "server" }),
    makeSpan(3, { parent: 1, from: 30n, kind: "server", attributes: new Map([["sentry.op", "pageload"]]) }),
    makeSpan(4, { parent: 1, from: 50n, kind: "server" }),
  ]
  expect(skewedOf(spans)).toEqual([2])
  expect(waterfallOf(spans).skewedCount).toBe(1)
})

it("marks no span that starts before its parent in the same process: there is one clock", () => {
  const early = { parent: 1, from: 20n }
  const spans = [
    makeSpan(1, { from: 50n }),
    makeSpan(2, { ...early, kind: "internal" }),
    makeSpan(3, { ...early, kind: "client" }),
    makeSpan(4, { ...early, kind: "producer" }),
    makeSpan(5, { ...early, kind: "consumer" }),
    makeSpan(6, { ...early, kind: "unspecified" }),
    makeSpan(7, { ...early, kind: "internal", service: "other" }),
  ]
  expect(skewedOf(spans)).toEqual([5, 6, 7])
})

function skewedOf(spans: readonly SpanRecord[]): number[] {
  const table = tableOf(spans)
  return spans
    .map(({ spanId: id }) => Number.parseInt(id, 16))
    .filter((number) => table.has(table.indexOf(spanId(number)), MARK.skewed))
}

it("marks errors, missing parents and exceptions, each on its own row only", () => {
  const { table } = through(
    makeSpan(1, { status: { code: "error", message: "" } }),
    makeSpan(2, { parent: 99 }),
    makeSpan(3, { events: [{ time: makeSpan(3).startTime, name: "exception", attributes: new Map() }] }),
  )
  const marked = (mark: number) => [0, 1, 2].map((row) => table.has(row, mark))
  expect(marked(MARK.error)).toEqual([true, false, false])
  expect(marked(MARK.parentMissing)).toEqual([false, true, false])
  expect(marked(MARK.exception)).toEqual([false, false, true])
})

it("hides the descendants of a collapsed row, also of nested ones", () => {
  const { table } = family()
  expect([...visibleRows(table, new Set())]).toEqual([0, 1, 2, 3, 4])
  expect([...visibleRows(table, new Set([1]))]).toEqual([0, 1, 3, 4])
  expect([...visibleRows(table, new Set([0, 1]))]).toEqual([0, 4])
})

it("shows matching rows with their ancestors, and hides the others", () => {
  const { table } = family()
  expect([...visibleRows(table, new Set(), withAncestors(table, [2]))]).toEqual([0, 1, 2])
  expect([...visibleRows(table, new Set(), withAncestors(table, [3, 4]))]).toEqual([0, 3, 4])
  expect([...visibleRows(table, new Set([0]), withAncestors(table, [3, 4]))]).toEqual([0, 4])
})

it("sends the first rows of a large trace with only their names, and the count of all rows", () => {
  const spans = Array.from({ length: 50 }, (_, i) => makeSpan(i + 1, { name: `name ${i}`, from: BigInt(i) }))
  const first = firstRows(waterfallOf(spans), 10)
  expect(first.spanCount).toBe(50)
  expect(first.names).toHaveLength(10)
  const table = readWaterfall(first)
  expect([table.length, table.whole]).toEqual([10, 50])
  expect(table.name(9)).toBe("name 9")
  expect(table.spanId(9)).toBe(spanId(10))
})

it("finds a row by its span id, and no match that spans two ids", () => {
  const { table } = family()
  expect(table.indexOf(spanId(3))).toBe(2)
  const across = (spanId(1) + spanId(2)).slice(8, 24)
  expect(table.indexOf(across)).toBe(-1)
  expect(table.indexOf("")).toBe(-1)
})

it("sends a chain of 100,000 spans in under 40 bytes each", () => {
  const many = 100_000
  const spans = Array.from({ length: many }, (_, i) => makeSpan(i + 1, i === 0 ? {} : { parent: i, name: "step" }))
  const waterfall = waterfallOf(spans)
  expect(encodeWaterfall(waterfall).length / many).toBeLessThan(40)
  expect(readWaterfall(waterfall).depth[many - 1]).toBe(many - 1)
})

it("of an empty trace has no rows", () => {
  const { table } = through()
  expect(table.length).toBe(0)
  expect(visibleRows(table, new Set())).toHaveLength(0)
})
