import { describe, expect, it } from "vitest"
import { listParameters, type ListPlace, listPlace, regionPlace, wholePlace } from "#app/_filter/list-address.ts"
import {
  cellPaths,
  cellText,
  durationTicks,
  failedPath,
  levelTexts,
  placeOfRegion,
  plotOf,
  timeTicks,
} from "#app/traces/_overview/heatmap-data.ts"
import type { HeatmapData } from "#app/traces/_overview/read-overview.ts"
import { DURATION_EDGES, durationTerms, rowRange } from "#otel/inspector/queries/list/heatmap.ts"
import { parseTraceListQuery } from "#otel/inspector/queries/list/trace-list-query.ts"
import { parseFilter } from "#otel/inspector/search/index.ts"

const MINUTE = 60_000
const NOON = Date.UTC(2026, 0, 31, 12)
const rowOf = (nanos: number) => DURATION_EDGES.filter((edge) => edge <= nanos).length
const MS = 1_000_000

/** Ten minutes with 40 traces of 10 ms and one of 2 s, which failed. */
const data: HeatmapData = {
  fromMs: NOON,
  stepMs: MINUTE,
  count: 10,
  sinceMs: NOON + 30_000,
  untilMs: undefined,
  cells: [
    { step: 0, row: rowOf(10 * MS), traces: 40, failed: 0 },
    { step: 3, row: rowOf(2_000 * MS), traces: 1, failed: 1 },
  ],
}
const plot = plotOf(data)
const place: ListPlace = {
  filter: "service:shop duration>1ms",
  since: "1h",
  until: undefined,
  sort: "duration",
  limit: 100,
  own: undefined,
  chart: "heatmap",
}
const rowShown = (nanos: number) => rowOf(nanos) - plot.lowest

describe("the ranges of durations", () => {
  it("are adjacent, and each is written as terms that the filter language reads exactly", () => {
    expect(DURATION_EDGES.every((edge, index) => index === 0 || edge > DURATION_EDGES[index - 1]!)).toBe(true)
    for (let row = 0; row <= DURATION_EDGES.length; row++) {
      const [from, to] = rowRange(row)
      const expected = [
        ...(from === undefined ? [] : [{ from: BigInt(from) }]),
        ...(to === undefined ? [] : [{ to: BigInt(to), toExcluded: true }]),
      ]
      const ranges = durationTerms(row, row).map((term) => (parseFilter(term).tree as { range?: object }).range)
      expect(ranges).toEqual(expected)
    }
  })
})

describe("a heatmap", () => {
  it("shows the rows that have traces, with a level of colour for each power, and a stripe where traces failed", () => {
    expect(plot).toMatchObject({ steps: 10, lowest: rowOf(10 * MS), rows: rowOf(2_000 * MS) - rowOf(10 * MS) + 1 })
    expect(levelTexts(plot)).toEqual(["1–2", "3–4", "5–9", "10–19", "20–40"])
    const paths = cellPaths(plot, data.cells)
    expect(paths[0]).toBe("M3 0h1v1h-1z")
    expect(paths[4]).toBe(`M0 ${plot.rows - 1}h1v1h-1z`)
    expect(failedPath(plot, data.cells)).toBe("M3 0.7h1v.3h-1z")
  })

  it("has at least nine rows, and shows an empty window", () => {
    expect(plotOf({ count: 3, cells: [] })).toMatchObject({ steps: 3, levels: [1] })
    expect(plotOf({ count: 3, cells: [{ step: 0, row: 0, traces: 1, failed: 0 }] })).toMatchObject({
      lowest: 0,
      rows: 9,
    })
    const top = DURATION_EDGES.length
    expect(plotOf({ count: 3, cells: [{ step: 0, row: top, traces: 1, failed: 0 }] }).lowest).toBeGreaterThan(0)
  })

  it("has ticks at decades and at round times, and says what a cell holds", () => {
    const plain = (text: string) => text.replaceAll("\u00a0", " ")
    expect(durationTicks(plot).map(({ text }) => plain(text))).toEqual(["10 ms", "30 ms", "100 ms", "300 ms", "1 s"])
    expect(timeTicks(data).map(({ text }) => text)).toEqual(["12:00", "12:02", "12:04", "12:06", "12:08"])
    expect(plain(cellText(data, plot, { step: 3, row: rowShown(2_000 * MS) }))).toBe(
      "2026-01-31 12:03 to 12:04 UTC, 2 s to 3 s: 1 trace, 1 failed",
    )
    expect(plain(cellText(data, plot, { step: 4, row: 0 }))).toMatch(/10 ms to 15 ms: 0 traces$/)
  })
})

describe("the address of a region", () => {
  const region = { ...place, filter: "duration>=1s", baseline: { filter: "", since: "1h", until: undefined } }
  const parameters = listParameters(region)

  it("names the list that it was selected in, also one without a filter", () => {
    expect(Object.fromEntries(parameters)).toMatchObject({ q: "duration>=1s", baseline: "", baselineSince: "1h" })
    const read = listPlace(parseTraceListQuery(parameters, NOON), parameters)
    expect(read.baseline).toEqual(region.baseline)
    expect(Object.fromEntries(listParameters(wholePlace(read)))).toEqual({
      since: "1h",
      sort: "duration",
      chart: "heatmap",
    })
  })

  it("keeps that of the first region when a region of it is selected", () => {
    expect(regionPlace(region, { filter: "duration>=2s" }).baseline).toEqual(region.baseline)
  })
})

describe("a region", () => {
  const corner = (step: number, row: number) => ({ step, row })
  const top = plot.rows - 1

  it("sets its times and durations, in place of those of the filter, whatever corner it began at", () => {
    const expected = {
      ...place,
      baseline: { filter: place.filter, since: "1h", until: undefined },
      since: "2026-01-31T12:03:00.000Z",
      until: "2026-01-31T12:05:00.000Z",
      filter: "service:shop duration>=1s duration<3s",
    }
    const region = { first: corner(4, top), last: corner(3, rowShown(1_000 * MS)) }
    expect(placeOfRegion(data, plot, region, place)).toEqual(expected)
  })

  it("leaves the time range or the durations as they are where it covers all of them", () => {
    const slow = { first: corner(0, top), last: corner(9, top) }
    expect(placeOfRegion(data, plot, slow, place)).toMatchObject({
      since: "1h",
      filter: "service:shop duration>=2s duration<3s",
    })
    const early = { first: corner(0, 0), last: corner(0, top) }
    expect(placeOfRegion(data, plot, early, place)).toMatchObject({
      // The window began within the first step.
      since: "2026-01-31T12:00:30.000Z",
      until: "2026-01-31T12:01:00.000Z",
      filter: place.filter,
    })
  })
})
