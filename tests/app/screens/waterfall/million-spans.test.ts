import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { seedTrace } from "#tests/bench/screens/seed-trace.ts"
import { launchChromium } from "#tests/support/chromium.ts"
import { RunningApp } from "#tests/support/running-app.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { openScreen } from "../session/open-screen.ts"

/** A trace of a million spans, in Chromium with the real store. `npm run bench:screens` measures its times and its memory. */
const SPANS = 1_000_000
const PATIENCE_MS = 300_000
let app: RunningApp
let browser: Browser
let page: Page

beforeAll(async () => {
  app = await RunningApp.start()
  const traceId = await seedTrace(app, SPANS)
  browser = await launchChromium()
  page = await browser.newPage({ viewport: { width: 1_440, height: 900 } })
  page.setDefaultTimeout(PATIENCE_MS)
  await openScreen(page, `${app.url}/traces/${traceId}`)
  await page
    .getByRole("treegrid")
    .and(page.locator(`[aria-rowcount="${SPANS + 1}"]`))
    .waitFor()
  await waitFor(
    "all rows",
    async () => (await page.getByRole("treegrid").evaluate((grid) => grid.scrollHeight)) > 1e7,
    PATIENCE_MS,
  )
}, 900_000)
afterAll(async () => {
  await browser?.close()
  await app?.stop()
})

const rowCount = () => page.getByRole("treegrid").getAttribute("aria-rowcount")
const hasRow = (row: number) => async () => (await page.locator(`[data-row="${row}"]`).count()) === 1

test("opens with each of its spans, scrolls from the first to the last, and holds at most 300 rows in the document", async () => {
  expect(await page.getByRole("list", { name: "About this trace" }).innerText()).toContain("1,000,000 spans")
  expect(await page.getByText(/^Showing the earliest/).count()).toBe(0)
  await page.locator("[data-row]").first().focus()
  await page.keyboard.press("End")
  await waitFor("the last row", hasRow(SPANS - 1), PATIENCE_MS)
  expect(await page.locator(`[data-row="${SPANS - 1}"]`).evaluate((row) => row === document.activeElement)).toBe(true)
  await page.keyboard.press("k")
  await waitFor("the focus", () =>
    page.locator(`[data-row="${SPANS - 2}"]`).evaluate((row) => row === document.activeElement),
  )
  await page.getByRole("treegrid").evaluate((grid) => (grid.scrollTop = grid.scrollHeight / 2))
  await waitFor("rows in the middle", () =>
    page
      .locator("[data-row]")
      .evaluateAll((rows) =>
        rows.some((row) => Math.abs(Number((row as HTMLElement).dataset["row"]) - 500_000) < 1_000),
      ),
  )
  expect(await page.getByRole("row").count()).toBeLessThan(300)
})

test("is searched and collapsed as a whole", async () => {
  const box = page.getByRole("searchbox", { name: "Search in this trace" })
  await box.fill('"operation 17 of"')
  await page.getByText(/^5,000 found/).waitFor()
  await box.fill("")
  await page.getByRole("button", { name: "Collapse all" }).click()
  await waitFor("one row", async () => (await rowCount()) === "2")
  await page.getByRole("button", { name: "Expand all" }).click()
  await waitFor("all rows", async () => (await rowCount()) === String(SPANS + 1), PATIENCE_MS)
})
