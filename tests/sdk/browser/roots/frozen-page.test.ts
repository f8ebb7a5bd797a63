import { afterAll, beforeAll, expect, test } from "vitest"
import { type RecordedApp, startRecordedApp } from "../recorded-app.ts"
import { isIdle, rootsOf, visit } from "../visit.ts"

let recorded: RecordedApp

beforeAll(async () => {
  recorded = await startRecordedApp("routes")
})
afterAll(() => recorded?.stop())

/** A browser freezes only pages that have been hidden for minutes: the test fires what it would. */
test("a navigation that begins in a hidden page ends when the browser freezes the page, not with what arrives after it", async () => {
  const { browser, app, sentry } = recorded
  const page = await visit(browser, `${app.origin}/static`)
  await isIdle(page)
  await page.evaluate(() => {
    const { appRouter } = window as unknown as { appRouter: { push(href: string): void } }
    Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true })
    document.dispatchEvent(new Event("visibilitychange", { bubbles: true }))
    appRouter.push("/slow")
  })
  const frozenAt = await page.evaluate(() => {
    document.dispatchEvent(new Event("freeze"))
    // Whole milliseconds: the root may have ended within this one.
    return Date.now() + 1
  })
  await page.getByRole("heading", { name: "late" }).waitFor()
  const [load, navigation] = await rootsOf(page, sentry, 2)
  expect([load, navigation].map((root) => root!["contexts"].trace.data["pagespan.end_reason"])).toEqual([
    "document_hidden",
    "document_hidden",
  ])
  expect(navigation).toMatchObject({ transaction: "/slow" })
  expect(navigation!["timestamp"] * 1e3).toBeLessThanOrEqual(frozenAt)
})
