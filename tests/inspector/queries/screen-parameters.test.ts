import { describe, expect, it } from "vitest"
import { parseDropQuery } from "#otel/inspector/queries/drops/drop-query.ts"
import { parseIssueListQuery } from "#otel/inspector/queries/errors/issue-list-query.ts"
import { stepsOf } from "#otel/inspector/queries/list/time-range.ts"
import { parseRouteQuery } from "#otel/inspector/queries/routes/route-query.ts"
import { ratingOf } from "#otel/inspector/queries/trace/trace-marks.ts"
import { fromMilliseconds } from "#otel/protocol/records/time.ts"

const NOW = Date.UTC(2026, 0, 31, 12)
const HOUR = 3_600_000
const range = (text: string) => parseRouteQuery(new URLSearchParams(text), NOW)

describe("a time window", () => {
  it.each([
    ["", NOW - 24 * HOUR, NOW],
    ["since=1h", NOW - HOUR, NOW],
    ["since=2026-01-31T10:00:00Z&until=2026-01-31T11:00:00Z", NOW - 2 * HOUR, NOW - HOUR],
    ["until=2026-01-31T11:00:00Z", NOW - 25 * HOUR, NOW - HOUR],
    ["since=999999d", 0, NOW],
  ])("of %j is the one in the URL", (text, fromMs, toMs) => {
    expect(range(text)).toMatchObject({ range: { fromMs, toMs }, notices: [] })
  })

  it.each([
    "since=yesterday",
    "since=2026-01-31T10:00",
    "until=13h13",
    "since=2027-01-01T00:00:00Z",
    "since=1h&until=2h",
  ])("of %j is the default, with a notice", (text) => {
    const { range: window, notices } = range(text)
    expect(window.toMs - window.fromMs).toBe(24 * HOUR)
    expect(notices).toHaveLength(1)
  })

  it.each([[1_000], [60_000], [HOUR], [24 * HOUR], [7 * 24 * HOUR], [400 * 24 * HOUR]])(
    "of %d ms is covered by at most 90 aligned steps",
    (length) => {
      const { fromMs, stepMs, count } = stepsOf(NOW - length, NOW)
      expect(count).toBeLessThanOrEqual(90)
      expect(fromMs).toBeLessThanOrEqual(NOW - length)
      expect(fromMs + stepMs * count).toBeGreaterThanOrEqual(NOW)
      expect(fromMs % stepMs).toBe(0)
    },
  )
})

describe("the end of a time window", () => {
  it("limits the issues of a list and the events of their change; without one there is none", () => {
    const parse = (text: string) => parseIssueListQuery(new URLSearchParams(text), NOW).query
    const hour = 3_600_000_000_000n
    const now = fromMilliseconds(NOW)
    expect(parse("since=3h&until=1h")).toMatchObject({
      since: now - 3n * hour,
      until: now - hour,
      window: { before: now - 5n * hour, from: now - 3n * hour, until: now - hour },
    })
    expect(parse("since=3h").until).toBeUndefined()
    expect(parse("since=3h").window?.until).toBeUndefined()
  })
})

describe("an invalid value", () => {
  it("is ignored, with one notice each", () => {
    const { query, notices } = parseIssueListQuery(
      new URLSearchParams("sort=x&level=loud&handled=maybe&limit=0&after=%00&q=%00"),
      NOW,
    )
    const day = 86_400_000_000_000n
    const now = fromMilliseconds(NOW)
    // Of the default range of 7 days, the last one is compared with the one before it.
    expect(query).toEqual({ limit: 50, window: { before: now - 2n * day, from: now - day } })
    expect(notices).toHaveLength(6)
    expect(parseDropQuery(new URLSearchParams("stage=x&reason=constructor"), NOW).notices).toHaveLength(2)
  })

  it("is quoted only in part", () => {
    const { notices } = parseIssueListQuery(new URLSearchParams({ q: "x".repeat(100_000) }), NOW)
    expect(notices[0]?.length).toBeLessThan(150)
  })
})

describe("a web vital", () => {
  it.each([
    ["lcp", 2_500, "good"],
    ["lcp", 2_501, "needs improvement"],
    ["lcp", 4_001, "poor"],
    ["inp", 200, "good"],
    ["inp", 500, "needs improvement"],
    ["cls", 0.1, "good"],
    ["cls", 0.26, "poor"],
    ["fcp", 1_801, "needs improvement"],
    ["ttfb", 1_801, "poor"],
  ] as const)("%s of %d is %s", (vital, value, rating) => {
    expect(ratingOf(vital, value)).toBe(rating)
  })
})
