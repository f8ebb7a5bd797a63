import { describe, expect, it } from "vitest"
import { canBeFilter, filterAddress, searchOf } from "#app/traces/[traceId]/_span/filter-address.ts"
import { panned, within, zoomed } from "#app/traces/[traceId]/_state/time-window.ts"
import { readAddress, windowOf, writeAddress } from "#app/traces/[traceId]/_state/trace-address.ts"
import { timeTicks } from "#app/traces/[traceId]/_waterfall/time-ticks.ts"
import { parseSpanSearch } from "#otel/inspector/queries/trace/span-search.ts"
import { parseFilter } from "#otel/inspector/search/index.ts"

const read = (search: string) => readAddress(new URLSearchParams(search))

describe("the address of a trace", () => {
  it.each([
    "",
    "?span=00000000000003ec",
    "?zoom=1000-2000",
    "?q=http.route%3D%2Fx&only=1",
    "?span=00000000000003ec&zoom=5-900&q=a+b&view=flame&path=1",
  ])("%s is read and written the same", (search) => {
    expect(writeAddress(read(search))).toBe(search)
  })

  it.each(["?zoom=9-3", "?zoom=a-b", "?zoom=-1-5", "?zoom=1e99-2e99", "?view=cube", "?path=yes", "?only=1", "?span="])(
    "%s is as if it said nothing",
    (search) => {
      expect(writeAddress(read(search))).toBe("")
    },
  )

  it("shows the whole trace when its zoom is outside the trace", () => {
    expect(windowOf(read("?zoom=5000-6000"), 1_000)).toEqual({ from: 0, to: 1_000 })
    expect(windowOf(read("?zoom=500-6000"), 1_000)).toEqual({ from: 500, to: 1_000 })
    expect(windowOf(read(""), 0)).toEqual({ from: 0, to: 1 })
  })
})

describe("a time range", () => {
  it("zooms around a fixed point", () => {
    expect(zoomed({ from: 0, to: 1_000 }, 0.5, 250, 1_000)).toEqual({ from: 125, to: 625 })
  })

  it("stays within the trace and is at least ten nanoseconds long", () => {
    expect(zoomed({ from: 400, to: 600 }, 100, 500, 1_000)).toEqual({ from: 0, to: 1_000 })
    expect(panned({ from: 800, to: 1_000 }, 3, 1_000)).toEqual({ from: 800, to: 1_000 })
    expect(panned({ from: 100, to: 300 }, -3, 1_000)).toEqual({ from: 0, to: 200 })
    expect(within({ from: 500, to: 501 }, 1_000)).toEqual({ from: 500, to: 510 })
    expect(within({ from: 0, to: 9 }, 3)).toEqual({ from: 0, to: 3 })
  })
})

describe("the ticks of the time axis", () => {
  const labels = (from: number, to: number, most = 6) =>
    timeTicks({ from, to }, most).map(({ label }) => label.replace("\u00A0", " "))

  it.each([
    [0, 1.8e9, ["0", "0.5 s", "1.0 s", "1.5 s"]],
    [0, 950e6, ["0", "200 ms", "400 ms", "600 ms", "800 ms"]],
    [1.2345e9, 1.2346e9, ["1.23450 s", "1.23452 s", "1.23454 s", "1.23456 s", "1.23458 s", "1.23460 s"]],
    [0, 300e9, ["0", "1 m", "2 m", "3 m", "4 m", "5 m"]],
    [0, 4 * 3_600e9, ["0", "1 h", "2 h", "3 h", "4 h"]],
    [10, 40, ["10 ns", "15 ns", "20 ns", "25 ns", "30 ns", "35 ns", "40 ns"].filter((_, i) => i % 2 === 0 || true)],
  ])("from %d to %d are round", (from, to, expected) => {
    expect(labels(from, to)).toEqual(expected)
  })

  it("are distinct and not too many, whatever the time range", () => {
    for (let power = 0; power < 16; power++) {
      const ticks = timeTicks({ from: 7 * 10 ** power, to: 9.3 * 10 ** power }, 8)
      expect(ticks.length).toBeLessThanOrEqual(9)
      expect(new Set(ticks.map(({ label }) => label)).size).toBe(ticks.length)
    }
  })
})

describe("an attribute as a filter", () => {
  const row = (text: string, key = "http.route") => ({ key, type: "text" as const, text, cutFrom: undefined })

  it("becomes a URL of the trace list, and a search for the same value", () => {
    const filter = new URL(filterAddress("http.route", "/a [b]"), "http://here").searchParams.get("q") ?? ""
    expect(parseFilter(filter).tree).toEqual(parseFilter('http.route:"/a [b]"').tree)
    expect(parseFilter(filter).problem).toBeUndefined()
    expect(parseSpanSearch(searchOf("http.route", "/a [b]")).attributes).toEqual([
      { key: "http.route", value: "/a [b]" },
    ])
  })

  it.each([row(""), row("two\nlines"), row('"'), row("x".repeat(201)), row("v", "a key"), row("v", "k".repeat(300))])(
    "is none where it could not be written: %o",
    (each) => {
      expect(canBeFilter(each)).toBe(false)
    },
  )
})
