import { describe, expect, test } from "vitest"
import { backoffMs, EXPORT_BACKOFF, isRetryable, PAGE_BACKOFF, retryAfterMs } from "#otel/protocol/transport/backoff.ts"

describe("a retry", () => {
  test("follows exactly the statuses 429, 502, 503 and 504", () => {
    const statuses = Array.from({ length: 500 }, (_, index) => index + 100)
    expect(statuses.filter(isRetryable)).toEqual([429, 502, 503, 504])
  })

  test("waits longer each time, at most half a minute, with a jitter of a quarter in both directions", () => {
    const middles = [1, 2, 3, 4, 5, 6, 20, 1_000].map((failures) => backoffMs(EXPORT_BACKOFF, failures, () => 0.5))
    expect(middles).toEqual([5_000, 7_500, 11_250, 16_875, 25_312.5, 30_000, 30_000, 30_000])
    expect(backoffMs(EXPORT_BACKOFF, 1, () => 0)).toBe(3_750)
    expect(backoffMs(EXPORT_BACKOFF, 1, () => 0.999_999)).toBeCloseTo(6_250, 0)
  })

  test("of a page waits at most 5 s, with a jitter of a fifth in both directions", () => {
    const middles = [1, 2, 3, 9].map((failures) => backoffMs(PAGE_BACKOFF, failures, () => 0.5))
    expect(middles).toEqual([1_000, 1_500, 2_250, 5_000])
    expect([backoffMs(PAGE_BACKOFF, 1, () => 0), backoffMs(PAGE_BACKOFF, 1, () => 1)]).toEqual([800, 1_200])
  })

  test("happens at a different time for each of a thousand clients that failed together", () => {
    for (const failures of [1, 3, 8]) {
      const middle = backoffMs(EXPORT_BACKOFF, failures, () => 0.5)
      const waits = Array.from({ length: 1_000 }, () => backoffMs(EXPORT_BACKOFF, failures, Math.random) / middle)
      expect(Math.min(...waits)).toBeLessThan(0.8)
      expect(Math.max(...waits)).toBeGreaterThan(1.2)
      expect(waits.filter((wait) => wait < 0.75 || wait > 1.25)).toEqual([])
      // The waits are spread evenly over the range.
      const tenths = Array.from({ length: 10 }, (_, tenth) =>
        waits.filter((wait) => Math.floor((wait - 0.75) * 20) === tenth),
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
