import { describe, expect, test } from "vitest"
import { Contender } from "./contender.ts"
import type { LoadFigures } from "./load.ts"
import { reportOf } from "./report.ts"
import { isNoise, pairedDifference } from "./statistics.ts"

const NONE: LoadFigures = { cpu: 100, firstPaint: 100, largestPaint: 100, interaction: 16, heap: 2e6 }

function contender(title: string, { start = 0, ...more }: Partial<LoadFigures> & { start?: number }, rounds = 15) {
  const made = new Contender(title, undefined)
  // Each round is a little slower than the one before it, for all contenders alike.
  for (let round = 0; round < rounds; round++) {
    const figures = { ...NONE, ...more }
    made.starts.push(start)
    made.loads.push({ ...figures, firstPaint: figures.firstPaint + round, largestPaint: figures.largestPaint + round })
  }
  return made
}

function report(pagespan: Contender, other = contender("other", {})): string {
  return reportOf({
    bare: contender("bare app", {}),
    again: contender("bare app, again", {}),
    sdks: [pagespan, other],
    spans: { pagespan: 4, sdk: 2, sentry: 8 },
    machine: "a machine",
  })
}

describe("differences", () => {
  test("are of pairs: what slows a round down for all is no difference", () => {
    expect(pairedDifference([110, 210, 310, 410, 510, 610], [100, 200, 300, 400, 500, 600])).toEqual({
      median: 10,
      interval: [10, 10],
    })
  })

  test("have the interval of the sign test: 4th and 12th of 15, first and last of 6, none of 5", () => {
    const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
    const zeros = upTo(15).map(() => 0)
    expect(pairedDifference(upTo(15), zeros).interval).toEqual([4, 12])
    expect(pairedDifference(upTo(6), zeros).interval).toEqual([1, 6])
    expect(pairedDifference(upTo(5), zeros).interval).toBeUndefined()
  })

  test("without the rounds that failed", () => {
    expect(pairedDifference([1, Number.NaN, 3, 4, 5, 6, 7], [0, 0, 0, 0, 0, 0, Number.NaN]).median).toBe(4)
  })

  test("are noise only if their interval includes zero", () => {
    const zeros = [0, 0, 0, 0, 0, 0]
    expect(isNoise(pairedDifference([-1, 1, 2, 3, 4, 5], zeros))).toBe(true)
    expect(isNoise(pairedDifference([1, 1, 2, 3, 4, 5], zeros))).toBe(false)
    expect(isNoise(pairedDifference([1], zeros))).toBe(false)
  })
})

describe("the report", () => {
  test("says of each target whether it is met", () => {
    const met = report(contender("Pagespan", { start: 4, heap: 3e6 }))
    expect(met).toContain("| start in at most 4 ms | +4.0 (+4.0 to +4.0) | yes |")
    expect(met).toContain("| heap after the load at most 1 MB over the bare app | +1.00 (+1.00 to +1.00) | yes |")
    expect(met).toContain("| first contentful paint within the noise | 0 (0 to 0) | yes |")
    const missed = report(contender("Pagespan", { start: 4.1, heap: 3.1e6, firstPaint: 101 }))
    expect(missed).toContain("| start in at most 4 ms | +4.1 (+4.1 to +4.1) | no |")
    expect(missed).toContain("| heap after the load at most 1 MB over the bare app | +1.10 (+1.10 to +1.10) | no |")
    expect(missed).toContain("| first contentful paint within the noise | +1 (+1 to +1) | no |")
  })

  test("names what failed, and has the others", async () => {
    const failed = contender("broken", {}, 0)
    failed.fail(new Error("no build"))
    // Without a server nothing is visited.
    await failed.measure(failed.loads, () => Promise.resolve(NONE))
    const text = report(contender("Pagespan", { cpu: 160 }), failed)
    expect(text).toContain("| CPU of the main thread, ms | 100 | +60 (+60 to +60) | failed | 0 (0 to 0) |")
    expect(text).toContain("- broken: 1 visits or builds failed")
  })
})
