import type { Page, Route } from "playwright-core"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { waitFor } from "#tests/support/wait-for.ts"
import { type RecordedApp, startRecordedApp } from "../recorded-app.ts"
import { isIdle, route, rootsOf, shows, visit } from "../visit.ts"

/** Navigations of the router to what is no page: Next leaves the response to the browser, which keeps the page for these. */

const DOWNLOAD = { status: 200, headers: { "content-disposition": "attachment; filename=report.csv" }, body: "a,b" }
const RESPONSES = [
  ["a download", DOWNLOAD],
  ["a response without content", { status: 204 }],
] as const

let recorded: RecordedApp
let page: Page

beforeAll(async () => {
  recorded = await startRecordedApp("routes")
})
afterAll(() => recorded?.stop())

beforeEach(async () => {
  recorded.sentry.clear()
  page = await visit(recorded.browser, `${recorded.app.origin}/items/1`)
  await isIdle(page)
})

/** Fulfills the router's request and the browser's own, and resolves with the kinds of those that came. */
async function answer(path: string, given: Parameters<Route["fulfill"]>[0]): Promise<string[]> {
  const seen: string[] = []
  await page.route(`**${path}*`, (intercepted) => {
    seen.push(intercepted.request().headers()["rsc"] === undefined ? "browser" : "router")
    return intercepted.fulfill(given)
  })
  return seen
}

test.each(RESPONSES)("a navigation to %s ends with its response, not when the visitor goes on", async (_, given) => {
  const seen = await answer("/items/report", given)
  await route(page, "push", "/items/report")
  await waitFor("the browser's own request", () => seen.includes("browser"))
  const answeredAt = Date.now()
  await page.waitForTimeout(500)
  await route(page, "push", "/about")
  await shows(page, "about")
  const [, navigation, next] = await rootsOf(page, recorded.sentry, 3)
  expect(seen).toContain("router")
  expect(navigation!["contexts"].trace.data).toMatchObject({
    "url.path": "/items/report",
    "pagespan.end_reason": "no_page",
  })
  expect(navigation!["timestamp"] * 1e3).toBeLessThanOrEqual(answeredAt)
  expect(next).toMatchObject({ transaction: "/about" })
})

test("a second click on a link to a download is a navigation of its own, for which the router asks again", async () => {
  const seen = await answer("/items/report", DOWNLOAD)
  const asked = (times: number) =>
    waitFor("the router's request", () => seen.filter((kind) => kind === "router").length === times)
  await route(page, "push", "/items/report")
  await asked(1)
  await waitFor("the browser's own request", () => seen.includes("browser"))
  await route(page, "push", "/items/report")
  await asked(2)
  await route(page, "push", "/about")
  await shows(page, "about")
  const [, ...navigations] = await rootsOf(page, recorded.sentry, 4)
  expect(navigations.map((root) => root["contexts"].trace.data["url.path"])).toEqual([
    "/items/report",
    "/items/report",
    "/about",
  ])
})

test("a file that the page itself requests, or prefetches, ends no navigation", async () => {
  await answer("/api/things/export", DOWNLOAD)
  await route(page, "push", "/slow")
  await page.evaluate(async () => {
    await fetch("/api/things/export")
    await fetch("/api/things/export?prefetched", { headers: { rsc: "1", "next-router-prefetch": "1" } })
  })
  await page.getByRole("heading", { name: "late" }).waitFor()
  const [, navigation] = await rootsOf(page, recorded.sentry, 2)
  expect(navigation!["contexts"].trace.data["pagespan.end_reason"]).toBe("page_left")
  expect(navigation!["spans"].map(({ description }: { description: string }) => description)).toContain("transition")
})
