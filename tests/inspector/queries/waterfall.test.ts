import { describe, expect, it } from "vitest"
import { traceTree } from "#otel/inspector/mcp/trace-tree.ts"
import { MARK } from "#otel/inspector/queries/trace/waterfall-columns.ts"
import { readWaterfall, type WaterfallTable } from "#otel/inspector/queries/trace/waterfall-table.ts"
import { nanoseconds } from "#otel/protocol/records/time.ts"
import { EPOCH, makeSpan, spanId, type SpanSketch } from "#tests/inspector/queries/make-span.ts"
import { tableOf, waterfallOf } from "#tests/inspector/queries/make-waterfall.ts"

const outline = (table: WaterfallTable) =>
  Array.from({ length: table.length }, (_, row) => `${"  ".repeat(table.depth[row]!)}${table.name(row)}`)

const SERVE = { kind: "server", name: "serve" } as const

describe("a waterfall", () => {
  it("shows parents before children and siblings by time, whatever order they arrived in", () => {
    const table = tableOf([
      makeSpan(4, { parent: 2, from: 40n }),
      makeSpan(3, { parent: 1, from: 30n }),
      makeSpan(2, { parent: 1, from: 20n }),
      makeSpan(1, { from: 10n }),
    ])
    expect(outline(table)).toEqual(["span 1", "  span 2", "    span 4", "  span 3"])
    expect([...table.parent]).toEqual([-1, 0, 1, 0])
    expect([...table.childCount]).toEqual([2, 1, 0, 0])
    expect([...table.descendantCount]).toEqual([3, 1, 0, 0])
  })

  it("puts the longer of two that start together first", () => {
    expect(outline(tableOf([makeSpan(1, { from: 0n, to: 5n }), makeSpan(2, { from: 0n, to: 9n })]))).toEqual([
      "span 2",
      "span 1",
    ])
  })

  it("has times exact to the nanosecond, beyond the precision of a number", () => {
    const waterfall = waterfallOf([makeSpan(1, { from: 0n, to: 1n }), makeSpan(2, { from: 2n, to: 12_345_678_901n })])
    expect(waterfall.startTimeUnixNano).toBe(String(EPOCH))
    expect(waterfall.durationNano).toBe("12345678901")
    expect([...waterfall.offsets]).toEqual([0, 2])
  })

  it("orders spans whose times differ by less than the precision of a number", () => {
    expect(outline(tableOf([makeSpan(1, { from: 1n }), makeSpan(2, { from: 0n })]))).toEqual(["span 2", "span 1"])
  })

  it("has a span whose parent is missing at the top level, and lists the parent once", () => {
    const spans = [makeSpan(1), makeSpan(2, { parent: 9 }), makeSpan(3, { parent: 9 })]
    const table = tableOf(spans)
    expect(outline(table)).toEqual(["span 1", "span 2", "span 3"])
    expect(waterfallOf(spans)).toMatchObject({ missingParents: [spanId(9)], missingParentCount: 1 })
    expect([0, 1, 2].map((row) => table.has(row, MARK.parentMissing))).toEqual([false, true, true])
  })

  it("cuts a ring of parents at its earliest span and drops no row", () => {
    const spans = [
      makeSpan(1, { parent: 3, from: 50n }),
      makeSpan(2, { parent: 1, from: 10n }),
      makeSpan(3, { parent: 2, from: 60n }),
      makeSpan(4, { parent: 3, from: 70n }),
    ]
    const table = tableOf(spans)
    expect(outline(table)).toEqual(["span 2", "  span 3", "    span 1", "    span 4"])
    expect(waterfallOf(spans).ringCount).toBe(1)
    expect(table.has(table.indexOf(spanId(2)), MARK.ringCut)).toBe(true)
  })

  it("cuts a ring at its earliest span even when an earlier span is the child of a later one", () => {
    const spans = [
      makeSpan(1, { parent: 3, from: 0n }),
      makeSpan(2, { parent: 3, from: 10n }),
      makeSpan(3, { parent: 2, from: 60n }),
    ]
    expect(outline(tableOf(spans))).toEqual(["span 2", "  span 3", "    span 1"])
  })

  it("cuts a span that is its own parent, and every one of several rings", () => {
    const spans = [makeSpan(1, { parent: 1 }), makeSpan(2, { parent: 3 }), makeSpan(3, { parent: 2 }), makeSpan(4)]
    expect(outline(tableOf(spans))).toEqual(["span 1", "span 2", "  span 3", "span 4"])
    expect(waterfallOf(spans)).toMatchObject({ ringCount: 2, missingParents: [] })
  })

  it("shows two services that share one span id as two spans", () => {
    expect(tableOf([makeSpan(1, { service: "caller" }), makeSpan(1, { service: "called" })])).toHaveLength(2)
  })

  it("shows the server of a call that shares its id below the call, and what it does below the server", () => {
    const call = (service: string, sketch: SpanSketch) => makeSpan(2, { parent: 1, service, ...sketch })
    const spans = [
      makeSpan(1, { service: "caller", from: 0n }),
      call("caller", { kind: "client", name: "call", from: 10n }),
      call("called", { kind: "server", name: "serve", from: 20n }),
      makeSpan(3, { parent: 2, service: "caller", name: "connect", from: 11n }),
      makeSpan(4, { parent: 2, service: "called", name: "query", from: 30n }),
    ]
    expect(outline(tableOf(spans))).toEqual(["span 1", "  call", "    connect", "    serve", "      query"])
    // The server's clock is behind.
    const early = spans.map((each) => (each.name === "serve" ? call("called", { ...SERVE, from: 5n }) : each))
    expect(outline(tableOf(early))).toEqual(["span 1", "  call", "    serve", "      query", "    connect"])
    const { spans: rows, depth } = traceTree(spans)
    expect(rows.map(({ name }, row) => "  ".repeat(depth[row]!) + name)).toEqual(outline(tableOf(spans)))
  })

  it("has no row for a web vital, which is a mark on the time axis, unless it has children", () => {
    const vital = (number: number, parent: number) => makeSpan(number, { parent, name: "browser.web_vital.lcp" })
    const waterfall = waterfallOf([makeSpan(1), vital(2, 1), vital(3, 1), makeSpan(4, { parent: 3 })])
    expect(waterfall).toMatchObject({ spanCount: 3, shown: 4 })
    expect(readWaterfall(waterfall).indexOf(spanId(2))).toBe(-1)
  })

  it("lasts until its last row ends: web vitals that settle later are no time of the trace, but spans of their service", () => {
    const late = makeSpan(2, { parent: 1, name: "browser.web_vital.lcp", from: 0n, to: 5_300n, service: "browser" })
    const spans = [makeSpan(1, { from: 0n, to: 991n }), late, makeSpan(3, { parent: 1, from: 5n, to: 9n })]
    expect(waterfallOf(spans)).toMatchObject({
      durationNano: "991",
      shown: 3,
      services: ["web", "browser"],
      serviceCounts: [2, 1],
    })
  })

  it("places the events of each span on its row, by time", () => {
    const at = (offset: bigint, name: string) => ({ time: nanoseconds(EPOCH + offset), name, attributes: new Map() })
    const { events } = tableOf([
      makeSpan(1, { from: 0n, to: 90n, events: [at(50n, "late"), at(40n, "early")] }),
      makeSpan(2, { parent: 1, from: 5n, events: [at(60n, "exception")] }),
    ])
    expect([...events.row]).toEqual([0, 0, 1])
    expect([...events.offset]).toEqual([40, 50, 60])
    expect([0, 1, 2].map((index) => events.isException(index))).toEqual([false, false, true])
  })

  it("of no spans is empty", () => {
    expect(waterfallOf([])).toMatchObject({ spanCount: 0, durationNano: "0", missingParents: [], ringCount: 0 })
  })
})

describe("a waterfall of 100,000 spans", () => {
  const many = 100_000

  it("in one chain has a row for each, one level deeper each", () => {
    const chain = Array.from({ length: many }, (_, i) => makeSpan(i + 1, i === 0 ? {} : { parent: i }))
    const table = tableOf(chain)
    expect(table).toHaveLength(many)
    expect(table.depth[many - 1]).toBe(many - 1)
    expect(table.descendantCount[0]).toBe(many - 1)
  })

  it("in one ring has a row for each", () => {
    const ring = Array.from({ length: many }, (_, i) => makeSpan(i + 1, { parent: i === 0 ? many : i }))
    expect(waterfallOf(ring)).toMatchObject({ spanCount: many, ringCount: 1 })
  })

  it("under one parent, and each with a missing one, has a row for each", () => {
    const flat = Array.from({ length: many }, (_, i) => makeSpan(i + 1, i === 0 ? {} : { parent: 1 }))
    expect(tableOf(flat).childCount[0]).toBe(many - 1)
    const orphans = Array.from({ length: many }, (_, i) => makeSpan(i + 1, { parent: many + i + 1 }))
    expect(waterfallOf(orphans).missingParentCount).toBe(many)
  })

  it("has every span once, before its descendants, for arbitrary parents", () => {
    const random = seeded(7)
    const tangle = Array.from({ length: many }, (_, i) =>
      makeSpan(i + 1, { parent: 1 + Math.floor(random() * many * 1.1), from: BigInt(Math.floor(random() * 1e9)) }),
    )
    const table = tableOf(tangle)
    const rows = Array.from({ length: many }, (_, row) => row)
    expect(new Set(rows.map((row) => table.spanId(row))).size).toBe(many)
    expect(rows.filter((row) => table.parent[row]! >= row)).toEqual([])
    expect(rows.filter((row) => table.depth[row] !== (table.depth[table.parent[row]!] ?? -1) + 1)).toEqual([])
    const end = (row: number) => row + table.descendantCount[row]! + 1
    expect(rows.filter((row) => (table.depth[end(row)] ?? 0) > table.depth[row]!)).toEqual([])
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
