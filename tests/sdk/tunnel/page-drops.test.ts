import { expect, test } from "vitest"
import { DROP_CATEGORIES, DROP_REASONS } from "#otel/protocol/records/drop.ts"
import { PageDrops } from "#otel/sdk/browser/delivery/page-drops.ts"
import type { PageDrop } from "#otel/sdk/page-drops.ts"
import { parsePageDrops } from "#otel/sdk/tunnel/page-drop-reports.ts"

const ALL = DROP_REASONS.flatMap((reason) => DROP_CATEGORIES.map((category) => ({ reason, category, count: 3 })))

function drops(...counted: PageDrop[]): PageDrops {
  const all = new PageDrops()
  for (const { reason, category, count } of counted) all.count(reason, category, count)
  return all
}

test("every drop of a page is in a header, at the latest in the next one", () => {
  const page = drops(...ALL)
  const reported: PageDrop[] = []
  for (let header = 0; !page.isEmpty && header < 20; header++) {
    const { header: text } = page.take()
    expect(text.length).toBeLessThanOrEqual(4_096)
    reported.push(...(parsePageDrops(text) ?? []).flatMap(({ drops: one }) => one))
  }
  expect(reported).toEqual(ALL)
})

test("a count beyond the limit of one entry is reported in several", () => {
  const page = drops({ reason: "queue_overflow", category: "span", count: 1_500_000 })
  expect(page.take().header).toMatch(/^\w+:queue_overflow\/span=1000000$/)
  expect(page.take().header).toMatch(/^\w+:queue_overflow\/span=500000$/)
  expect(page.isEmpty).toBe(true)
})

test("no drops are an empty header, which says that all were reported", () => {
  expect(drops().take().header).toBe("")
  expect(parsePageDrops("")).toEqual([])
})

test("two requests never report the same drops unless the first has failed", () => {
  const page = drops({ reason: "noisy_error", category: "error", count: 2 })
  const first = page.take()
  expect(page.take().header).toBe("")
  page.count("noisy_error", "error", 1)
  first.release()
  expect(page.isEmpty).toBe(false)
  const [again, fresh, ...rest] = page.take().header.split(";")
  expect(again).toBe(first.header)
  expect(fresh).toMatch(/^\w+:noisy_error\/error=1$/)
  expect(fresh).not.toContain(again?.split(":")[0])
  expect(rest).toEqual([])
  expect(page.isEmpty).toBe(true)
})

test("a page whose requests never arrive stores one entry for each kind of drop, and reports each once in the end", () => {
  const page = drops()
  for (let round = 0; round < 1_000; round++) {
    page.count("network_error", "span", 1)
    page.take().release()
  }
  const { header } = page.take()
  expect(header.split(";").length).toBeLessThan(10)
  const reported = [header, page.take().header].flatMap((text) => parsePageDrops(text) ?? [])
  expect(reported.flatMap(({ drops: one }) => one).reduce((sum, { count }) => sum + count, 0)).toBe(1_000)
  expect(page.isEmpty).toBe(true)
})

test("the Sentry client's reports include all earlier drops that it did not count itself", () => {
  const reported: unknown[] = []
  const page = drops({ reason: "noisy_error", category: "error", count: 2 })
  page.reportTo((...drop) => reported.push(drop))
  page.count("queue_overflow", "span", 4)
  page.add("network_error", "error", 1)
  expect(reported).toEqual([
    ["noisy_error", "error", 2],
    ["queue_overflow", "span", 4],
  ])
  expect(page.take().header).toMatch(/^\w+:noisy_error\/error=2,queue_overflow\/span=4,network_error\/error=1$/)
})
