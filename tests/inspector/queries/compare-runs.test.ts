import { expect, it } from "vitest"
import { compareRuns } from "#otel/inspector/queries/list/compare-runs.ts"
import type { EntryStats } from "#otel/inspector/queries/list/entry-stats.ts"
import { nanoseconds } from "#otel/protocol/records/time.ts"

function stats(route: string, p50: bigint, count = 10): EntryStats {
  const length = nanoseconds(p50)
  return {
    route,
    entry: "server",
    count,
    failed: 0,
    p50: length,
    p95: length,
    slowest: length,
    slowestTraceId: "",
    bars: [],
  }
}

it("compares the same routes, those of both runs first, with the change of the median", () => {
  const rows = compareRuns(
    [stats("/only-a", 900n, 1_000), stats("/cart", 100n)],
    [stats("/cart", 150n), stats("/only-b", 5n)],
  )
  expect(rows.map(({ route, change }) => [route, change])).toEqual([
    ["/cart", 1.5],
    ["/only-a", undefined],
    ["/only-b", undefined],
  ])
})

it("keeps entries of different kinds apart, and does not divide by zero", () => {
  const page = { ...stats("/cart", 0n), entry: "pageload" }
  const rows = compareRuns([page], [page, stats("/cart", 5n)])
  expect(rows.map(({ entry, a, b, change }) => [entry, a !== undefined, b !== undefined, change])).toEqual([
    ["pageload", true, true, undefined],
    ["server", false, true, undefined],
  ])
})
