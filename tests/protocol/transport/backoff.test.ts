import { describe, expect, test } from "vitest"
import {
  Backoff,
  type BackoffPolicy,
  EXPORT_BACKOFF,
  isRetryable,
  PAGE_BACKOFF,
  retryAfterMs,
} from "#otel/protocol/transport/backoff.ts"

/** The waits after a number of failures in a row. */
function waits(policy: BackoffPolicy, failures: number, random: () => number): number[] {
  const backoff = new Backoff(policy, random)
  return Array.from({ length: failures }, () => backoff.failed())
}

describe("a retry", () => {
  test("follows exactly the statuses 429, 502, 503 and 504", () => {
    const statuses = Array.from({ length: 500 }, (_, index) => index + 100)
    expect(statuses.filter(isRetryable)).toEqual([429, 502, 503, 504])
  })

  test("waits longer each time, at most half a minute, with a jitter of a quarter in both directions", () => {
    const middles = waits(EXPORT_BACKOFF, 3_000, () => 0.5)
    expect(middles.slice(0, 6)).toEqual([5_000, 7_500, 11_250, 16_875, 25_312.5, 30_000])
    expect(new Set(middles.slice(6))).toEqual(new Set([30_000]))
    expect(waits(EXPORT_BACKOFF, 1, () => 0)).toEqual([3_750])
    expect(waits(EXPORT_BACKOFF, 1, () => 0.999_999)[0]).toBeCloseTo(6_250, 0)
  })

  test("waits as after the first failure again once one has succeeded", () => {
    const backoff = new Backoff(EXPORT_BACKOFF, () => 0.5)
    backoff.failed()
    expect(backoff.failed()).toBe(7_500)
    backoff.succeeded()
    expect(backoff.failed()).toBe(5_000)
  })

  test("of a page waits at most 5 s, with a jitter of a fifth in both directions", () => {
    expect(waits(PAGE_BACKOFF, 6, () => 0.5)).toEqual([1_000, 1_500, 2_250, 3_375, 5_000, 5_000])
    expect([...waits(PAGE_BACKOFF, 1, () => 0), ...waits(PAGE_BACKOFF, 1, () => 1)]).toEqual([800, 1_200])
  })

  test("happens at a different time for each of a thousand clients that failed together", () => {
    for (const failures of [1, 3, 8]) {
      const lastWait = (random: () => number) => waits(EXPORT_BACKOFF, failures, random).at(-1) ?? 0
      const middle = lastWait(() => 0.5)
      const shares = Array.from({ length: 1_000 }, () => lastWait(Math.random) / middle)
      expect(Math.min(...shares)).toBeLessThan(0.8)
      expect(Math.max(...shares)).toBeGreaterThan(1.2)
      expect(shares.filter((share) => share < 0.75 || share > 1.25)).toEqual([])
      // The waits are spread evenly over the range.
      const tenths = Array.from({ length: 10 }, (_, tenth) =>
        shares.filter((share) => Math.floor((share - 0.75) * 20) === tenth),
      )
      for (const tenth of tenths) expect(tenth.length).toBeGreaterThan(40)
    }
  })

  const now = Date.parse("2026-11-20T12:00:00Z")
  test.each([
    [undefined, undefined],
    [null, undefined],
    ["0", 0],
    ["7", 7_000],
    [" 7 ", 7_000],
    ["3600", 3_600_000],
    ["999999999999", 3_600_000],
    ["Fri, 20 Nov 2026 12:00:30 GMT", 30_000],
    ["Fri, 20 Nov 2026 11:00:00 GMT", undefined],
    ["Fri, 20 Nov 2126 11:00:00 GMT", 3_600_000],
    ["-5", undefined],
    ["soon", undefined],
    ["", undefined],
    ["1e3", undefined],
    ["NaN", undefined],
    ["00007", 7_000],
    ["3601", 3_600_000],
    ["1".repeat(400), undefined],
    ["0x10", undefined],
    ["+7", undefined],
    ["7.5", undefined],
    ["7s", undefined],
    ["7, 8", undefined],
    ["Infinity", undefined],
    ["٧", undefined],
    ["Fri, 20 Nov 2026 12:00:00 GMT", 0],
    ["Fri, 20 Nov 2026 13:00:00 GMT", 3_600_000],
    ["Fri, 20 Nov 2026 13:00:01 GMT", 3_600_000],
    ["Friday, 20-Nov-26 12:00:30 GMT", 30_000],
    ["Fri Nov 20 12:00:30 2026 GMT", 30_000],
    ["2026-11-20T12:00:30Z", 30_000],
    ["Fri, 20 Nov 2026 14:00:30 +0200", 30_000],
    ["Thu, 01 Jan 1970 00:00:00 GMT", undefined],
    ["Fri, 32 Nov 2026 12:00:30 GMT", undefined],
    ["null", undefined],
    ["undefined", undefined],
    ["\u0000", undefined],
    ["7\r\nx-header: 1", undefined],
    ["true", undefined],
    ["[7]", undefined],
    ["   ", undefined],
  ])("obeys Retry-After: %j means %j ms", (value, expected) => {
    expect(retryAfterMs(value, now)).toBe(expected)
  })
})
