import { describe, expect, it } from "vitest"
import {
  compareMeasured,
  countDifference,
  isNotable,
  type Measured,
  rateDifference,
} from "#otel/inspector/queries/compare/comparison.ts"
import { parseCompareQuery } from "#otel/inspector/queries/compare/compare-query.ts"
import { presetsOf } from "#otel/inspector/queries/compare/presets.ts"
import type { SampledTrace } from "#otel/inspector/queries/compare/compare-reader.ts"
import { DEPTH_LIMIT, measurePaths } from "#otel/inspector/queries/compare/span-paths.ts"
import { fromMilliseconds } from "#otel/protocol/records/time.ts"

/** @param times at 25 %, 50 %, 75 %, 92 %, 95 % and 98 %. */
function measured(count: number, times: readonly number[], failed = 0): Measured {
  return { count, failed, times, total: 0 }
}

describe("a difference of medians", () => {
  // Quartiles 40 ms apart: the standard error of each median is 40 / √100 = 4 ms, of their difference 5.7 ms.
  const base = measured(100, [80, 100, 120, 140, 150, 160])
  const later = (ms: number) =>
    measured(
      100,
      base.times.map((time) => time + ms),
    )

  it("is higher or lower only beyond three standard errors", () => {
    const p50 = (ms: number) => compareMeasured(base, later(ms)).difference?.p50
    expect(p50(16)).toEqual({ value: 16, verdict: "within_noise" })
    expect(p50(18)).toEqual({ value: 18, verdict: "higher" })
    expect(p50(-18)).toEqual({ value: -18, verdict: "lower" })
  })

  it("is noise below a tenth and below a millisecond, however certain", () => {
    const certain = (ms: number) => measured(1_000, [ms, ms, ms, ms, ms, ms])
    expect(compareMeasured(certain(100), certain(109)).difference?.p50.verdict).toBe("within_noise")
    expect(compareMeasured(certain(100), certain(110)).difference?.p50.verdict).toBe("higher")
    expect(compareMeasured(certain(1), certain(1.9)).difference?.p50.verdict).toBe("within_noise")
    expect(compareMeasured(certain(0), certain(1)).difference?.p50.verdict).toBe("higher")
  })

  it("is not judged of fewer than 10, and of a 95th percentile of fewer than 100", () => {
    const few = (count: number, ms: number) => measured(count, [ms, ms, ms, ms, ms, ms])
    expect(compareMeasured(few(9, 1), few(500, 900)).difference).toMatchObject({
      p50: { verdict: "too_few" },
      failedShare: { verdict: "too_few" },
    })
    expect(compareMeasured(few(99, 1), few(500, 900)).difference).toMatchObject({
      p50: { verdict: "higher" },
      p95: { verdict: "too_few" },
    })
    // 92 % to 98 % are 20 ms apart: √(0.95 × 0.05 / 100) × 20 / 0.06 = 7.3 ms on each side.
    expect(compareMeasured(base, later(30)).difference?.p95.verdict).toBe("within_noise")
    expect(compareMeasured(base, later(32)).difference?.p95.verdict).toBe("higher")
  })
})

describe("a difference of shares", () => {
  it("is judged by the standard error of the common share", () => {
    const share = (failed: number) =>
      compareMeasured(measured(100, [1, 1, 1, 1, 1, 1]), measured(100, [1, 1, 1, 1, 1, 1], failed)).difference
        ?.failedShare
    // 8 of 200: √(0.04 × 0.96 × 0.02) = 0.028; 9 of 200: 0.029.
    expect(share(8)).toEqual({ value: 0.08, verdict: "within_noise" })
    expect(share(9)).toEqual({ value: 0.09, verdict: "higher" })
    expect(share(0)).toEqual({ value: 0, verdict: "within_noise" })
  })

  it("of calls in a trace is judged by the square roots of their counts", () => {
    // From 1 to 1.5 in a trace: √(√40² + √60²) / 40 = 0.25.
    expect(rateDifference({ count: 40, traces: 40 }, { count: 60, traces: 40 })).toEqual({
      value: 0.5,
      verdict: "within_noise",
    })
    expect(rateDifference({ count: 40, traces: 40 }, { count: 80, traces: 40 }).verdict).toBe("higher")
    expect(rateDifference({ count: 5, traces: 5 }, { count: 500, traces: 40 }).verdict).toBe("too_few")
  })
})

it("of events in two windows is judged by the square root of their number", () => {
  // 3 × √(10 + 30) = 19
  expect(countDifference(10, 29).verdict).toBe("higher")
  expect(countDifference(10, 28)).toEqual({ value: 18, verdict: "within_noise" })
  expect(countDifference(9, 0).verdict).toBe("too_few")
  expect(countDifference(40, 0)).toEqual({ value: -40, verdict: "lower" })
})

it("notes a row of one side where there are enough of it", () => {
  const none = measured(0, [])
  expect(isNotable(compareMeasured(none, measured(10, [1, 1, 1, 1, 1, 1])))).toBe(true)
  expect(isNotable(compareMeasured(measured(9, [1, 1, 1, 1, 1, 1]), none))).toBe(false)
})

describe("span paths", () => {
  const trace = (...spans: readonly (readonly [id: string, parent: string, name: string, ms: number])[]) =>
    ({
      ids: spans.map(([id]) => id),
      parents: spans.map(([, parent]) => parent),
      services: spans.map(() => "web"),
      names: spans.map(([, , name]) => name),
      durations: spans.map(([, , , ms]) => ms),
      failed: spans.map(() => false),
    }) satisfies SampledTrace
  const texts = (a: readonly SampledTrace[], b: readonly SampledTrace[]) =>
    measurePaths(a, b).map(({ path, ...side }) => [path.map(({ name }) => name).join(" "), side.a.count, side.b.count])

  it("are the same whatever the order of the spans, and differ by parent", () => {
    const forward = trace(["1", "", "page", 5], ["2", "1", "load", 3], ["3", "2", "query", 1])
    const backward = trace(["3", "2", "query", 1], ["4", "1", "query", 1], ["2", "1", "load", 3], ["1", "", "page", 5])
    expect(texts([forward], [backward])).toEqual([
      ["page", 1, 1],
      ["page load", 1, 1],
      ["page load query", 1, 1],
      ["page query", 0, 1],
    ])
  })

  it("begin at a span whose parent is missing or closes a cycle, and end at the longest path", () => {
    expect(texts([trace(["1", "9", "orphan", 1], ["2", "2", "self", 1])], [])).toEqual([
      ["orphan", 1, 0],
      ["self", 1, 0],
    ])
    const deep = Array.from(
      { length: DEPTH_LIMIT + 5 },
      (_, depth) => [String(depth), String(depth - 1), `s${depth}`, 1] as const,
    )
    expect(measurePaths([trace(...deep.toReversed())], [])).toHaveLength(DEPTH_LIMIT)
  })
})

describe("the parameters of a comparison", () => {
  const NOW = 1_800_000_000_000
  const parse = (text: string) => parseCompareQuery(new URLSearchParams(text), NOW)

  it("have a filter and a window of each side, and windows of both", () => {
    const { a, b, notices } = parse("a=release:1&b=release:2&since=24h&aSince=48h&aUntil=24h")
    const at = (hours: number) => fromMilliseconds(NOW - hours * 3_600_000)
    expect([a.scope.since, a.scope.until, b.scope.since, b.scope.until]).toEqual([at(48), at(24), at(24), undefined])
    expect([a.filter, a.since, a.until, b.filter, b.since]).toEqual(["release:1", "48h", "24h", "release:2", "24h"])
    expect(notices).toEqual([])
  })

  it("are replaced by defaults where they are invalid, with a notice each, and an invalid filter has a problem", () => {
    const { a, b, notices } = parse("a=duration%3E&b=x:1&bSince=soon&aSince=1h&aUntil=2h")
    expect([a.problem !== undefined, b.problem]).toEqual([true, undefined])
    expect(b.scope.since).toBeUndefined()
    expect(notices).toEqual([
      expect.stringContaining('bSince is "soon"'),
      "The time range of the baseline ends before it begins.",
    ])
    expect(parse("").notices).toEqual([])
    expect(parse("a=x:1&b=x:1").notices).toEqual(["Both sides select the same traces."])
  })
})

describe("the comparisons that one click selects", () => {
  const NOW = 1_800_000_000_000
  const at = (hours: number) => fromMilliseconds(NOW - hours * 3_600_000)
  const NONE = { releases: [], runs: [], starts: [] }
  const side = (filter: string, since?: string, until?: string) => ({ filter, since, until })
  const release = (service: string, name: string, first: number, last: number) => ({
    service,
    release: name,
    first: at(first),
    last: at(last),
  })
  const of = (kind: string, current: ReturnType<typeof side>, known: Partial<Parameters<typeof presetsOf>[1]>) =>
    presetsOf(current, { ...NONE, ...known }, NOW).filter((preset) => preset.kind === kind)

  it("are the previous window and yesterday, as ages where the window is an age", () => {
    expect(of("time", side("x:1", "90m"), {})).toEqual([
      { kind: "time", label: "Previous window", a: side("x:1", "3h", "90m"), b: side("x:1", "90m") },
      { kind: "time", label: "Yesterday", a: side("x:1", "1530m", "1d"), b: side("x:1", "90m") },
    ])
    const window = side("", "2027-01-15T06:00:00Z", "2027-01-15T07:00:00Z")
    expect(of("time", window, {}).map(({ a }) => [a.since, a.until])).toEqual([
      ["2027-01-15T05:00:00.000Z", "2027-01-15T06:00:00.000Z"],
      ["2027-01-14T06:00:00.000Z", "2027-01-14T07:00:00.000Z"],
    ])
    expect(of("time", side(""), {})).toEqual([
      { kind: "time", label: "Previous window", a: side("", "2d", "1d"), b: side("", "24h") },
    ])
  })

  it("name the release that is current and the one before it, with the rest of the filter", () => {
    const releases = [
      release("web", "3", 1, 0),
      release("web", "2", 5, 1),
      release("api", "9", 6, 0),
      release("web", "1", 9, 5),
    ]
    const minute = (hours: number, minutes: number) =>
      new Date(NOW - hours * 3_600_000 + minutes * 60_000).toISOString()
    expect(of("release", side("status:error", "24h"), { releases })).toEqual([
      {
        kind: "release",
        label: "web 2 → 3",
        a: side("status:error release:2", minute(5, -1), minute(1, 1)),
        b: side("status:error release:3", minute(1, -1)),
      },
    ])
    expect(of("release", side("release:2 status:error"), { releases })[0]).toMatchObject({
      label: "web 1 → 2",
      a: { filter: "status:error release:1" },
      b: { filter: "status:error release:2" },
    })
    const shared = [...releases, release("api", "2", 10, 9)]
    expect(of("release", side(""), { releases: shared }).map(({ a }) => a.filter)).toEqual([
      "{service:web release:2}",
      "{service:api release:2}",
    ])
  })

  it("name the latest run and the one before it, else the last two starts of an app", () => {
    const run = (name: string, hours: number) => ({ name, filter: "", since: at(hours), until: undefined })
    const start = (instance: string, hours: number) => ({
      service: "web",
      instance,
      run: "",
      version: "",
      first: at(hours),
      last: at(hours),
      traces: 1,
    })
    const runs = [run("after", 1), run("between", 2), run("before", 3)]
    expect(of("run", side(""), { runs })).toEqual([
      { kind: "run", label: "between → after", a: side("run:between"), b: side("run:after") },
    ])
    expect(of("run", side("run:between x:1"), { runs })[0]).toMatchObject({
      a: side("x:1 run:before"),
      b: side("x:1 run:between"),
    })
    expect(of("run", side(""), { starts: [start("i1", 4), start("i2", 2)] })).toMatchObject([
      { label: "web i1 → web i2", a: { filter: "service.instance.id:i1" }, b: { filter: "service.instance.id:i2" } },
    ])
  })
})
