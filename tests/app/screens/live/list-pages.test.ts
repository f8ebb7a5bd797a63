import { describe, expect, it } from "vitest"
import {
  type ListPage,
  listOf,
  type ListRule,
  type ListState,
  released,
  ROW_LIMIT,
  withDeltas,
  withMissed,
  withOlder as withOlderPage,
  withPage,
} from "#app/traces/_list/list-state.ts"
import { fromCursor } from "#otel/inspector/queries/list/list-cursor.ts"
import type { TraceSummaryJson } from "#otel/inspector/queries/list/trace-summary.ts"

/** How pages of the server and the live feed make one list of traces: none is missing between its rows, nor after its end. */

const EPOCH = 1_767_225_600_000_000_000n
const PAGE = 100
const LATEST: ListRule = { isNewestFirst: true, by: "time", since: undefined, until: undefined }
const BY_DURATION: ListRule = { ...LATEST, isNewestFirst: false, by: "duration" }

function trace(number: number): TraceSummaryJson {
  return {
    traceId: number.toString(16).padStart(32, "0"),
    name: "",
    provisional: false,
    services: ["web"],
    startTimeUnixNano: String(EPOCH + BigInt(number)),
    durationNano: "100",
    spanCount: 1,
    errorCount: 0,
    sources: ["otlp"],
  }
}

/** The traces from a number down to another. */
const range = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, index) => trace(from - index))
/** The page that begins with a number. Its cursor is the number of its last trace. */
function pageFrom(first: number): ListPage {
  const last = Math.max(1, first - PAGE + 1)
  return { traces: range(first, last), next: last === 1 ? undefined : String(last) }
}
const numbers = (rows: readonly TraceSummaryJson[]) => rows.map(({ traceId }) => Number.parseInt(traceId, 16))
const withOlder = (list: ListState, page: ListPage, after: string, rule = LATEST) =>
  withOlderPage(list, page, after, rule)
/** From which number to which the rows are, and how many, and the cursor behind them. */
const extent = ({ rows, end }: ListState) => [numbers(rows).at(0), numbers(rows).at(-1), rows.length, end]
const arrived = (list: ListState, traces: readonly TraceSummaryJson[], reading = false, rule = LATEST) =>
  withDeltas(list, { traces, others: [] }, rule, reading)

describe("a list of the newest traces", () => {
  it("keeps every trace of a burst that is larger than a page, however many pages follow", () => {
    let list = arrived(listOf(pageFrom(1_000)), range(1_150, 1_001))
    for (let pages = 0; pages < 5; pages++) list = withPage(list, pageFrom(1_150), LATEST, false)
    expect(extent(list)).toEqual([1_150, 901, 250, "901"])
  })

  it("begins again with a page that no loaded row continues, and loads what is between", () => {
    const loaded = withOlder(listOf(pageFrom(1_000)), pageFrom(900), "901")
    expect(extent(loaded)).toEqual([1_000, 801, 200, "801"])
    const list = withPage(loaded, pageFrom(5_000), LATEST, false)
    expect(extent(list)).toEqual([5_000, 4_901, 100, "4901"])
    expect(extent(withOlder(list, pageFrom(4_900), "4901"))).toEqual([5_000, 4_801, 200, "4801"])
  })

  it("begins again also where traces of the live feed follow missed ones, while the user reads or not", () => {
    const loaded = withOlder(listOf(pageFrom(1_000)), pageFrom(900), "901")
    const news = range(5_000, 4_990)
    const list = withPage(arrived(withMissed(loaded), news), pageFrom(5_000), LATEST, false)
    expect(extent(list)).toEqual([5_000, 4_901, 100, "4901"])
    const read = arrived(withMissed(loaded), [...news, ...range(4_000, 3_990)], true)
    expect(extent(read)).toEqual([1_000, 801, 200, "801"])
    expect(extent(released(withPage(read, pageFrom(5_000), LATEST, true), LATEST))).toEqual(extent(list))
    expect(extent(withPage(released(read, LATEST), pageFrom(5_000), LATEST, false))).toEqual(extent(list))
  })

  it("keeps loaded pages where missed events are all in the next page", () => {
    const loaded = withOlder(listOf(pageFrom(1_000)), pageFrom(900), "901")
    const list = withPage(arrived(withMissed(loaded), [trace(1_020)]), pageFrom(1_020), LATEST, false)
    expect(extent(list)).toEqual([1_020, 801, 220, "801"])
  })

  it("leaves a trace that belongs to a page after its end to that page", () => {
    const list = arrived(listOf(pageFrom(1_000)), [trace(500)])
    expect(extent(list)).toEqual([1_000, 901, 100, "901"])
    expect(arrived(listOf(pageFrom(1_000)), [trace(500)], true).waiting.size).toBe(0)
    const whole = listOf({ traces: range(1_000, 901), next: undefined })
    expect(extent(arrived(whole, [trace(500)]))).toEqual([1_000, 500, 101, undefined])
  })

  it("has no rows that a page without a next one lacks, such as those that left the time range", () => {
    const loaded = withOlder(listOf(pageFrom(150)), pageFrom(50), "51")
    expect(extent(loaded)).toEqual([150, 1, 150, undefined])
    const list = withPage(loaded, { traces: range(150, 71), next: undefined }, LATEST, false)
    expect(extent(list)).toEqual([150, 71, 80, undefined])
  })

  it("goes on after its last row when the limit has removed rows", () => {
    const first = listOf({ traces: range(ROW_LIMIT, 1), next: "1" })
    const list = arrived(first, range(ROW_LIMIT + 10, ROW_LIMIT + 1))
    expect(list.rows).toHaveLength(ROW_LIMIT)
    expect(fromCursor("traces-time", list.end ?? "")).toEqual({ value: EPOCH + 11n, id: trace(11).traceId })
  })

  it("does not append a page that was read after another end", () => {
    const list = withPage(listOf(pageFrom(1_000)), pageFrom(1_050), LATEST, false)
    expect(withOlder(list, pageFrom(900), "901")).toBe(list)
  })
})

describe("a list in another order", () => {
  const loaded = withOlder(listOf(pageFrom(1_000)), pageFrom(900), "901")

  it("goes on after the page that replaced it, so that no row is skipped", () => {
    expect(extent(withPage(loaded, pageFrom(1_000), BY_DURATION, false))).toEqual([1_000, 901, 100, "901"])
    const held = withPage(loaded, pageFrom(1_000), BY_DURATION, true)
    expect(extent(held)).toEqual([1_000, 801, 200, "801"])
    expect(extent(released(held, BY_DURATION))).toEqual([1_000, 901, 100, "901"])
  })

  it("counts every new trace, wherever its position is", () => {
    expect(arrived(loaded, [trace(1), trace(2_000)], false, BY_DURATION).waiting.size).toBe(2)
  })
})

it.each([
  ["time", LATEST, EPOCH + 51n],
  ["time-asc", { ...BY_DURATION, by: "time" }, EPOCH + 51n],
  ["duration", BY_DURATION, 100n],
  ["spans", { ...BY_DURATION, by: "spans" }, 7n],
  ["errors", { ...BY_DURATION, by: "errors" }, 3n],
] as const)("a list in the order %s goes on after its last row when a page exceeds the limit", (_, rule, value) => {
  const full = listOf({ traces: range(ROW_LIMIT + 50, 101), next: "101" })
  const traces = range(100, 1).map((row) => ({ ...row, spanCount: 7, errorCount: 3 }))
  const list = withOlder(full, { traces, next: "1" }, "101", rule)
  expect(extent(list).slice(0, 3)).toEqual([ROW_LIMIT + 50, 51, ROW_LIMIT])
  expect(fromCursor(`traces-${rule.by}`, list.end ?? "")).toEqual({ value, id: trace(51).traceId })
  const over = withOlder(list, pageFrom(50), list.end ?? "", rule)
  expect(extent(over)).toEqual(extent(list))
})
