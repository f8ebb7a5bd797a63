import { describe, expect, it } from "vitest"
import { marksOf } from "#app/compare/release-marks.ts"
import type { Release } from "#otel/inspector/queries/compare/compare-reader.ts"
import { nanoseconds } from "#otel/inspector/queries/records.ts"

const MINUTE = 60_000
const window = { fromMs: 0, stepMs: MINUTE }

/** As the store lists them: the latest first span first. */
function releases(...all: readonly (readonly [service: string, release: string, atMs: number])[]): Release[] {
  return all
    .map(([service, release, atMs]) => {
      const first = nanoseconds(BigInt(atMs) * 1_000_000n)
      return { service, release, first, last: first }
    })
    .toSorted((a, b) => Number(b.first - a.first))
}

const labels = (all: readonly Release[]) => marksOf(all, window).map(({ label }) => label)

describe("the marks of releases", () => {
  it("are one for services that begin a release in the same step, at the first of them", () => {
    const marks = marksOf(
      releases(["web", "1", 0], ["api", "1", 10], ["web", "2", 5 * MINUTE + 2], ["api", "2", 5 * MINUTE + 1]),
      window,
    )
    expect(marks).toMatchObject([{ label: "2 in 2 services", at: 5 * MINUTE + 1 }])
  })

  it("name the service where only one begins a release, and others do so elsewhere", () => {
    const all = releases(["web", "1", 0], ["api", "1", 10], ["web", "2", 5 * MINUTE], ["api", "2", 9 * MINUTE])
    expect(labels(all)).toEqual(["web 2", "api 2"])
    expect(labels(releases(["web", "1", 0], ["web", "2", 5 * MINUTE]))).toEqual(["2"])
  })

  it("show the beginning of a commit", () => {
    const commit = "307a129746c6faf1d7a85d420031d6431c509e24"
    expect(labels(releases(["web", "1", 0], ["web", commit, 5 * MINUTE]))).toEqual(["307a129746c6"])
    const both = releases(["web", "1", 0], ["web", commit, 5 * MINUTE], ["api", commit, 5 * MINUTE])
    expect(labels(both)).toEqual(["307a129746c6 in 2 services"])
  })

  it("are of changed releases first: services that were idle before leave room for them", () => {
    const jobs = Array.from({ length: 6 }, (_, job) => [`job ${job}`, "1", (10 + job) * MINUTE] as const)
    const all = releases(["web", "1", 0], ["web", "2", 5 * MINUTE], ...jobs)
    expect(labels(all)).toEqual(["web 2", "job 3 1", "job 4 1", "job 5 1"])
  })
})
