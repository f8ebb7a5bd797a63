import { expect, test } from "vitest"
import { PageLosses } from "#otel/browser/delivery/page-losses.ts"
import { parsePageLosses } from "#otel/forward/parse-page-losses.ts"
import { LOSS_CATEGORIES, LOSS_REASONS } from "#otel/model/loss.ts"
import type { PageLoss } from "#otel/model/page-losses.ts"

const ALL = LOSS_REASONS.flatMap((reason) => LOSS_CATEGORIES.map((category) => ({ reason, category, count: 3 })))

function losses(...counted: PageLoss[]): PageLosses {
  const all = new PageLosses()
  for (const { reason, category, count } of counted) all.count(reason, category, count)
  return all
}

test("every loss of a page gets into a header, at the latest into the one after", () => {
  const page = losses(...ALL)
  const told: PageLoss[] = []
  for (let header = 0; !page.isEmpty && header < 20; header++) {
    const { header: text } = page.take()
    expect(text.length).toBeLessThanOrEqual(4_096)
    told.push(...(parsePageLosses(text) ?? []).flatMap(({ losses: one }) => one))
  }
  expect(told).toEqual(ALL)
})

test("a count past what one header may tell is told in several", () => {
  const page = losses({ reason: "queue_overflow", category: "span", count: 1_500_000 })
  expect(page.take().header).toMatch(/^\w+:queue_overflow\/span=1000000$/)
  expect(page.take().header).toMatch(/^\w+:queue_overflow\/span=500000$/)
  expect(page.isEmpty).toBe(true)
})

test("no losses are an empty header, which says that all were told", () => {
  expect(losses().take().header).toBe("")
  expect(parsePageLosses("")).toEqual([])
})

test("what a request on its way tells no other tells too, unless that one has not been seen to arrive", () => {
  const page = losses({ reason: "noisy_error", category: "error", count: 2 })
  const first = page.take()
  expect(page.take().header).toBe("")
  page.count("noisy_error", "error", 1)
  first.giveBack()
  expect(page.isEmpty).toBe(false)
  const [again, fresh, ...rest] = page.take().header.split(";")
  expect(again).toBe(first.header)
  expect(fresh).toMatch(/^\w+:noisy_error\/error=1$/)
  expect(fresh).not.toContain(again?.split(":")[0])
  expect(rest).toEqual([])
  expect(page.isEmpty).toBe(true)
})

test("a page whose requests never arrive remembers no more than it has kinds of losses, and tells each once in the end", () => {
  const page = losses()
  for (let round = 0; round < 1_000; round++) {
    page.count("network_error", "span", 1)
    page.take().giveBack()
  }
  const { header } = page.take()
  expect(header.split(";").length).toBeLessThan(10)
  const told = [header, page.take().header].flatMap((text) => parsePageLosses(text) ?? [])
  expect(told.flatMap(({ losses: one }) => one).reduce((sum, { count }) => sum + count, 0)).toBe(1_000)
  expect(page.isEmpty).toBe(true)
})

test("the Sentry client's reports have what it did not count itself, from the begin", () => {
  const reported: unknown[] = []
  const page = losses({ reason: "noisy_error", category: "error", count: 2 })
  page.reportTo((...loss) => reported.push(loss))
  page.count("queue_overflow", "span", 4)
  page.add("network_error", "error", 1)
  expect(reported).toEqual([
    ["noisy_error", "error", 2],
    ["queue_overflow", "span", 4],
  ])
  expect(page.take().header).toMatch(/^\w+:noisy_error\/error=2,queue_overflow\/span=4,network_error\/error=1$/)
})
