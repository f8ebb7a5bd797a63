import { describe, expect, it } from "vitest"
import {
  listOf as listOfPage,
  type ListRule,
  type ListState,
  released,
  ROW_LIMIT,
  WAITING_LIMIT,
  withDeltas,
  withOlder as withOlderPage,
  withPage as withListPage,
} from "#app/traces/_list/list-state.ts"
import { fullBar } from "#app/traces/_list/full-bar.ts"
import type { TraceSummaryJson } from "#otel/inspector/queries/list/trace-summary.ts"
import { mergeDeltaJson } from "#otel/inspector/queries/trace/trace-delta.ts"

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

const LATEST: ListRule = { isNewestFirst: true, by: "time", since: undefined, until: undefined }
const arrived = (list: ListState, traces: readonly TraceSummaryJson[], reading: boolean, rule = LATEST) =>
  withDeltas(list, { traces, others: [] }, rule, reading)
const listOf = (traces: readonly TraceSummaryJson[], next?: string) => listOfPage({ traces, next })
const withPage = (
  list: ListState,
  traces: readonly TraceSummaryJson[],
  rule: ListRule,
  reading: boolean,
  next?: string,
) => withListPage(list, { traces, next }, rule, reading)
const withOlder = (list: ListState, traces: readonly TraceSummaryJson[], next?: string) =>
  withOlderPage(list, { traces, next }, list.end, LATEST)
const ids = (rows: readonly TraceSummaryJson[]) => rows.map(({ traceId }) => traceId)

describe("the live list while the user is not reading", () => {
  it("inserts new traces by start time, newest first", () => {
    const list = arrived(listOf([trace("b", 20), trace("a", 10)]), [trace("d", 40), trace("c", 30)], false)
    expect(ids(list.rows)).toEqual(["d", "c", "b", "a"])
    expect(list.waiting.size).toBe(0)
  })

  it("merges new spans into the row of their trace", () => {
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

describe("the live list while the user is reading", () => {
  const shown = listOf([trace("b", 20), trace("a", 10)])

  it("moves no row and holds new traces back", () => {
    const list = arrived(shown, [trace("c", 30)], true)
    expect(ids(list.rows)).toEqual(["b", "a"])
    expect([...list.waiting.keys()]).toEqual(["c"])
  })

  it("still updates rows on screen in place", () => {
    const list = arrived(shown, [trace("a", 99, { spanCount: 7 })], true)
    expect(ids(list.rows)).toEqual(["b", "a"])
    expect(list.rows[1]?.spanCount).toBe(8)
    expect(list.waiting.size).toBe(0)
  })

  it("counts a new trace once, however many batches it arrives in", () => {
    const once = arrived(shown, [trace("c", 30)], true)
    const twice = arrived(once, [trace("c", 31, { spanCount: 2 })], true)
    expect(twice.waiting.size).toBe(1)
    expect(twice.waiting.get("c")?.spanCount).toBe(3)
  })

  it("holds the page from the server back until the user stops reading, then applies it", () => {
    const held = withPage(
      arrived(shown, [trace("c", 30)], true),
      [trace("c", 30, { spanCount: 50 })],
      LATEST,
      true,
      "c",
    )
    expect(ids(held.rows)).toEqual(["b", "a"])
    const list = released(held, LATEST)
    expect(ids(list.rows)).toEqual(["c", "b", "a"])
    expect(list.rows[0]?.spanCount).toBe(50)
  })

  it("holds back a bounded number of traces", () => {
    const flood = Array.from({ length: WAITING_LIMIT * 3 }, (_, i) => trace(`t${i}`, i))
    expect(arrived(shown, flood, true).waiting.size).toBe(WAITING_LIMIT)
  })

  it("is the same object when nothing was held back, so that nothing renders again", () => {
    expect(released(shown, LATEST)).toBe(shown)
  })
})

describe("the live list with a filter", () => {
  const shown = listOf([trace("b", 20), trace("a", 10)])

  it("updates a row that no longer matches, and removes it when the user stops reading", () => {
    const others = [trace("a", 11, { spanCount: 3 }), trace("x", 99)]
    const read = withDeltas(shown, { traces: [], others }, LATEST, true)
    expect(ids(read.rows)).toEqual(["b", "a"])
    expect(read.rows[1]?.spanCount).toBe(4)
    expect(ids(released(read, LATEST).rows)).toEqual(["b"])
    expect(ids(withDeltas(shown, { traces: [], others }, LATEST, false).rows)).toEqual(["b"])
  })

  it("drops held traces that no longer match", () => {
    const waiting = arrived(shown, [trace("c", 30)], true)
    expect(withDeltas(waiting, { traces: [], others: [trace("c", 31)] }, LATEST, true).waiting.size).toBe(0)
  })
})

describe("a time range", () => {
  it("is never widened by arriving traces", () => {
    const rule = { ...LATEST, since: EPOCH + 15n, until: EPOCH + 40n }
    const early = trace("early", 14)
    const list = arrived(listOf([]), [early, trace("in", 15), trace("late", 40)], false, rule)
    expect(ids(list.rows)).toEqual(["in"])
  })
})

describe("a list in another order", () => {
  const rule = { ...LATEST, isNewestFirst: false }

  it("counts new traces and leaves their position to the next page from the server", () => {
    const list = arrived(listOf([trace("a", 10)]), [trace("b", 20)], false, rule)
    expect(ids(list.rows)).toEqual(["a"])
    expect(list.waiting.size).toBe(1)
    expect(withPage(list, [trace("b", 20), trace("a", 10)], rule, false).waiting.size).toBe(0)
  })
})

describe("a trace of the live feed that the store does not have yet", () => {
  const shown = listOf([trace("b", 20), trace("a", 10)])
  const page = [trace("b", 20), trace("a", 10)]

  it("stays while pages lack it, and is the page's own once one has it", () => {
    const live = arrived(shown, [trace("c", 30)], false)
    const without = withPage(live, page, LATEST, false)
    expect(ids(without.rows)).toEqual(["c", "b", "a"])
    const stored = withPage(without, [trace("c", 30, { spanCount: 9 }), ...page], LATEST, false)
    expect(ids(stored.rows)).toEqual(["c", "b", "a"])
    expect(stored.rows[0]?.spanCount).toBe(9)
    expect(ids(withPage(stored, page, LATEST, false).rows)).toEqual(["b", "a"])
  })

  it("stays when a page arrived while the user was reading", () => {
    const live = arrived(shown, [trace("c", 30)], false)
    const held = withPage(arrived(live, [trace("d", 40)], true), page, LATEST, true)
    expect(ids(released(held, LATEST).rows)).toEqual(["d", "c", "b", "a"])
  })

  it("is gone when several pages lack it, such as after a deletion", () => {
    let list = arrived(shown, [trace("c", 30)], false)
    for (let pages = 0; pages < 3; pages++) list = withPage(list, page, LATEST, false)
    expect(ids(list.rows)).toEqual(["b", "a"])
  })
})

it("older pages stay after a new first page, without duplicates", () => {
  const loaded = withOlder(listOf([trace("d", 40), trace("c", 30)], "c"), [
    trace("c", 30),
    trace("b", 20),
    trace("a", 10),
  ])
  expect(ids(loaded.rows)).toEqual(["d", "c", "b", "a"])
  const read = withPage(loaded, [trace("e", 50), trace("d", 40)], LATEST, false, "d")
  expect(ids(read.rows)).toEqual(["e", "d", "c", "b", "a"])
})

it("two batches merge into the same trace in either order, named by the earlier, exact to the nanosecond", () => {
  const child = trace("a", 3, { name: "child", services: ["api"], durationNano: "9007199254740993" })
  const root = trace("a", 0, { name: "root", services: ["web"], durationNano: "1" })
  for (const merged of [mergeDeltaJson(child, root), mergeDeltaJson(root, child)]) {
    expect(merged).toMatchObject({ name: "root", services: ["web", "api"], durationNano: "9007199254740996" })
  }
})

it("a root span names its trace, whatever arrives before or after", () => {
  const early = trace("a", 0, { name: "early child", provisional: true })
  const root = trace("a", 5, { name: "root" })
  for (const merged of [mergeDeltaJson(early, root), mergeDeltaJson(root, early)])
    expect(merged).toMatchObject({ name: "root", provisional: false, startTimeUnixNano: String(EPOCH) })
})

it("one long trace does not flatten the bars of the others, and of a few traces the longest has the full bar", () => {
  const flattened = (others: number) => fullBar([...Array.from({ length: others }, () => 100_000_000), 60_000_000_000])
  expect([4, 11, 99].map(flattened)).toEqual([100_000_000, 100_000_000, 100_000_000])
  expect(fullBar([5, 20, 10])).toBe(20)
  expect(fullBar([])).toBe(1)
})
