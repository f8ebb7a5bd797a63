import { describe, expect, it } from "vitest"
import {
  listOf,
  type ListRule,
  type ListState,
  released,
  ROW_LIMIT,
  WAITING_LIMIT,
  withDeltas,
  withOlder,
  withPage,
} from "#app/traces/_list/list-state.ts"
import { mergeTrace } from "#app/traces/_list/list-state.ts"
import type { TraceSummaryJson } from "#otel/inspector/queries/list/trace-summary.ts"

const EPOCH = 1_767_225_600_000_000_001n

function trace(traceId: string, startsAt: number, more: Partial<TraceSummaryJson> = {}): TraceSummaryJson {
  return {
    traceId,
    name: `name ${traceId}`,
    provisional: false,
    services: ["web"],
    startTimeUnixNano: String(EPOCH + BigInt(startsAt)),
    durationNano: "100",
    spanCount: 1,
    errorCount: 0,
    sources: ["otlp"],
    ...more,
  }
}

const LATEST: ListRule = { isNewestFirst: true, since: undefined, until: undefined }
const arrived = (list: ListState, traces: readonly TraceSummaryJson[], reading: boolean, rule = LATEST) =>
  withDeltas(list, { traces, others: [] }, rule, reading)
const ids = (rows: readonly TraceSummaryJson[]) => rows.map(({ traceId }) => traceId)

describe("the live list while nobody reads it", () => {
  it("puts new traces in by their start, the newest first", () => {
    const list = arrived(listOf([trace("b", 20), trace("a", 10)]), [trace("d", 40), trace("c", 30)], false)
    expect(ids(list.rows)).toEqual(["d", "c", "b", "a"])
    expect(list.waiting.size).toBe(0)
  })

  it("adds what belongs to a trace on screen to its row", () => {
    const more = trace("a", 60, {
      durationNano: "100",
      spanCount: 4,
      errorCount: 2,
      services: ["api"],
      sources: ["sentry"],
    })
    const [row] = arrived(listOf([trace("a", 10)]), [more], false).rows
    expect(row).toMatchObject({
      name: "name a",
      durationNano: "150",
      spanCount: 5,
      errorCount: 2,
      services: ["web", "api"],
      sources: ["otlp", "sentry"],
    })
  })

  it("holds a bounded number of rows, the newest", () => {
    const flood = Array.from({ length: WAITING_LIMIT }, (_, i) => trace(`t${i}`, i))
    const list = arrived(listOf([]), flood, false)
    const full = withOlder(
      list,
      Array.from({ length: ROW_LIMIT }, (_, i) => trace(`o${i}`, -1 - i)),
    )
    expect(full.rows).toHaveLength(ROW_LIMIT)
    expect(full.rows[0]?.traceId).toBe(`t${WAITING_LIMIT - 1}`)
  })
})

describe("the live list while somebody reads it", () => {
  const shown = listOf([trace("b", 20), trace("a", 10)])

  it("moves no row, and keeps what is new aside", () => {
    const list = arrived(shown, [trace("c", 30)], true)
    expect(ids(list.rows)).toEqual(["b", "a"])
    expect([...list.waiting.keys()]).toEqual(["c"])
  })

  it("still counts spans of the rows on screen, in their place", () => {
    const list = arrived(shown, [trace("a", 99, { spanCount: 7 })], true)
    expect(ids(list.rows)).toEqual(["b", "a"])
    expect(list.rows[1]?.spanCount).toBe(8)
    expect(list.waiting.size).toBe(0)
  })

  it("counts a new trace once, however many batches it comes in", () => {
    const once = arrived(shown, [trace("c", 30)], true)
    const twice = arrived(once, [trace("c", 31, { spanCount: 2 })], true)
    expect(twice.waiting.size).toBe(1)
    expect(twice.waiting.get("c")?.spanCount).toBe(3)
  })

  it("holds the server's reading back until it is left, and then takes its numbers", () => {
    const held = withPage(arrived(shown, [trace("c", 30)], true), [trace("c", 30, { spanCount: 50 })], LATEST, true)
    expect(ids(held.rows)).toEqual(["b", "a"])
    const list = released(held, LATEST)
    expect(ids(list.rows)).toEqual(["c", "b", "a"])
    expect(list.rows[0]?.spanCount).toBe(50)
  })

  it("keeps a bounded number aside", () => {
    const flood = Array.from({ length: WAITING_LIMIT * 3 }, (_, i) => trace(`t${i}`, i))
    expect(arrived(shown, flood, true).waiting.size).toBe(WAITING_LIMIT)
  })

  it("released with nothing aside is the same list, so that nothing is drawn again", () => {
    expect(released(shown, LATEST)).toBe(shown)
  })
})

describe("the live list of a filter", () => {
  const shown = listOf([trace("b", 20), trace("a", 10)])

  it("adds what came of a row that no longer passes, and lets it go when nobody reads", () => {
    const others = [trace("a", 11, { spanCount: 3 }), trace("x", 99)]
    const read = withDeltas(shown, { traces: [], others }, LATEST, true)
    expect(ids(read.rows)).toEqual(["b", "a"])
    expect(read.rows[1]?.spanCount).toBe(4)
    expect(ids(released(read, LATEST).rows)).toEqual(["b"])
    expect(ids(withDeltas(shown, { traces: [], others }, LATEST, false).rows)).toEqual(["b"])
  })

  it("forgets what waited and no longer passes", () => {
    const waiting = arrived(shown, [trace("c", 30)], true)
    expect(withDeltas(waiting, { traces: [], others: [trace("c", 31)] }, LATEST, true).waiting.size).toBe(0)
  })
})

describe("a window of time", () => {
  it("is never widened by what arrives", () => {
    const rule = { ...LATEST, since: EPOCH + 15n, until: EPOCH + 40n }
    const early = trace("early", 14)
    const list = arrived(listOf([]), [early, trace("in", 15), trace("late", 40)], false, rule)
    expect(ids(list.rows)).toEqual(["in"])
  })
})

describe("a list in another order", () => {
  const rule = { ...LATEST, isNewestFirst: false }

  it("counts new traces and leaves their place to the next reading", () => {
    const list = arrived(listOf([trace("a", 10)]), [trace("b", 20)], false, rule)
    expect(ids(list.rows)).toEqual(["a"])
    expect(list.waiting.size).toBe(1)
    expect(withPage(list, [trace("b", 20), trace("a", 10)], rule, false).waiting.size).toBe(0)
  })
})

it("older pages stay behind a reading of the first one, without a repetition", () => {
  const loaded = withOlder(listOf([trace("d", 40), trace("c", 30)]), [trace("c", 30), trace("b", 20), trace("a", 10)])
  expect(ids(loaded.rows)).toEqual(["d", "c", "b", "a"])
  const read = withPage(loaded, [trace("e", 50), trace("d", 40)], LATEST, false)
  expect(ids(read.rows)).toEqual(["e", "d", "c", "b", "a"])
})

it("two batches make the same trace in either order, named by the earlier and exact to the nanosecond", () => {
  const child = trace("a", 3, { name: "child", services: ["api"], durationNano: "9007199254740993" })
  const root = trace("a", 0, { name: "root", services: ["web"], durationNano: "1" })
  for (const merged of [mergeTrace(child, root), mergeTrace(root, child)]) {
    expect(merged).toMatchObject({ name: "root", services: ["web", "api"], durationNano: "9007199254740996" })
  }
})

it("a root names its trace whatever came before it, and keeps it", () => {
  const early = trace("a", 0, { name: "early child", provisional: true })
  const root = trace("a", 5, { name: "root" })
  for (const merged of [mergeTrace(early, root), mergeTrace(root, early)])
    expect(merged).toMatchObject({ name: "root", provisional: false, startTimeUnixNano: String(EPOCH) })
})
