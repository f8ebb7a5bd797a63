import { describe, expect, test } from "vitest"
import { backoffMs, isRetryable, retryAfterMs } from "#otel/forward/retry.ts"

describe("another attempt", () => {
  test("is made after exactly 429, 502, 503 and 504", () => {
    const statuses = Array.from({ length: 500 }, (_, index) => index + 100)
    expect(statuses.filter(isRetryable)).toEqual([429, 502, 503, 504])
  })

  test("comes later each time, up to half a minute, spread by a quarter to either side", () => {
    const middles = [1, 2, 3, 4, 5, 6, 20, 1_000].map((failures) => backoffMs(failures, () => 0.5))
    expect(middles).toEqual([5_000, 7_500, 11_250, 16_875, 25_312.5, 30_000, 30_000, 30_000])
    expect(backoffMs(1, () => 0)).toBe(3_750)
    expect(backoffMs(1, () => 0.999_999)).toBeCloseTo(6_250, 0)
  })

  const now = Date.parse("2026-11-20T12:00:00Z")
  test.each([
    [undefined, undefined],
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
  ])("is made when Retry-After %j says so: %j ms", (value, expected) => {
    expect(retryAfterMs(value, now)).toBe(expected)
  })
})
