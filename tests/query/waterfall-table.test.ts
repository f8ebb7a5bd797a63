import { expect, it } from "vitest"
import { buildWaterfall } from "#otel/query/waterfall.ts"
import { MARK, waterfallToJson } from "#otel/query/waterfall-json.ts"
import { readWaterfall, visibleRows } from "#otel/query/waterfall-table.ts"
import { makeSpan, spanId } from "#tests/query/make-span.ts"

const through = (...spans: Parameters<typeof buildWaterfall>[0]) => {
  const waterfall = buildWaterfall(spans)
  const json = JSON.parse(JSON.stringify(waterfallToJson(waterfall)))
  return { waterfall, table: readWaterfall(json) }
}

const family = () =>
  through(
    makeSpan(1, { from: 0n, to: 1_000n }),
    makeSpan(2, { parent: 1, from: 250n, to: 750n, service: "api", kind: "server" }),
    makeSpan(3, { parent: 2, from: 300n, to: 301n, status: { code: "error", message: "no" } }),
    makeSpan(4, { parent: 1, from: 900n, to: 800n }),
    makeSpan(5, { parent: 77, from: 999n, to: 1_000n }),
  )

it("brings every row to the page as it was built", () => {
  const { waterfall, table } = family()
  expect(table.length).toBe(5)
  waterfall.rows.forEach((row, index) => {
    expect(table.spanId(index)).toBe(row.span.spanId)
    expect(table.name(index)).toBe(row.span.name)
    expect(table.kind(index)).toBe(row.span.kind)
    expect(table.offset(index)).toBe(row.span.startTime - waterfall.startTime)
    expect(table.depth[index]).toBe(row.depth)
    expect(table.parent[index]).toBe(row.parent)
    expect(table.childCount[index]).toBe(row.childCount)
    expect(table.descendantCount[index]).toBe(row.descendantCount)
  })
  expect(table.service(1)).toBe("api")
})

it("tells place and size of each set of siblings, the top level among them", () => {
  const { table } = family()
  expect([...table.placeInSet]).toEqual([1, 1, 1, 2, 2])
  expect([...table.setSize]).toEqual([2, 2, 1, 2, 2])
})

it("places bars as fractions of the trace, and gives a span that ends before it starts no length", () => {
  const { table } = family()
  expect([table.start[1], table.width[1]]).toEqual([0.25, 0.5])
  expect(table.duration(3)).toBe(0n)
})

it("marks errors, missing parents and exceptions, each on its own row alone", () => {
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

it("hides what is below a collapsed row, nested ones too", () => {
  const { table } = family()
  expect([...visibleRows(table, new Set())]).toEqual([0, 1, 2, 3, 4])
  expect([...visibleRows(table, new Set([1]))]).toEqual([0, 1, 3, 4])
  expect([...visibleRows(table, new Set([0, 1]))]).toEqual([0, 4])
})

it("finds a row by its span id, and not across the border of two ids", () => {
  const { table } = family()
  expect(table.indexOf(spanId(3))).toBe(2)
  const across = (spanId(1) + spanId(2)).slice(8, 24)
  expect(table.indexOf(across)).toBe(-1)
  expect(table.indexOf("")).toBe(-1)
})

it("carries 100,000 spans in a chain in under 60 bytes each", () => {
  const many = 100_000
  const spans = Array.from({ length: many }, (_, i) => makeSpan(i + 1, i === 0 ? {} : { parent: i, name: "step" }))
  const json = waterfallToJson(buildWaterfall(spans))
  expect(JSON.stringify(json).length / many).toBeLessThan(60)
  expect(readWaterfall(json).depth[many - 1]).toBe(many - 1)
})

it("of an empty trace has no rows", () => {
  const { table } = through()
  expect(table.length).toBe(0)
  expect(visibleRows(table, new Set())).toHaveLength(0)
})
