import { expect, test } from "vitest"
import { LOSS_CATEGORIES, LOSS_REASONS } from "#otel/model/loss.ts"
import { formatPageLosses } from "#otel/model/page-losses.ts"
import { parsePageLosses } from "#otel/forward/parse-page-losses.ts"

const ALL = LOSS_REASONS.flatMap((reason) => LOSS_CATEGORIES.map((category) => ({ reason, category, count: 3 })))

test("every loss of a page gets into a header, at the latest into the one after", () => {
  let rest = ALL
  const told: typeof ALL = []
  for (let header = 0; rest.length > 0 && header < 20; header++) {
    const formatted = formatPageLosses(rest)
    expect(formatted.header.length).toBeLessThanOrEqual(4_096)
    expect(parsePageLosses(formatted.header)).toEqual(formatted.told)
    told.push(...((parsePageLosses(formatted.header) ?? []) as typeof ALL))
    rest = formatted.rest as typeof ALL
  }
  expect(told).toEqual(ALL)
})

test("a count past what one header may tell is told in several", () => {
  const { header, rest } = formatPageLosses([{ reason: "queue_overflow", category: "span", count: 1_500_000 }])
  expect(header).toBe("queue_overflow/span=1000000")
  expect(rest).toEqual([{ reason: "queue_overflow", category: "span", count: 500_000 }])
})

test("no losses are an empty header, which says that all were told", () => {
  expect(formatPageLosses([])).toEqual({ header: "", told: [], rest: [] })
  expect(parsePageLosses("")).toEqual([])
})
