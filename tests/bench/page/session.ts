import type { Browser, Page } from "playwright-core"
import { collectedHeap, visit } from "./load.ts"

const NAVIGATIONS = 100
/** By then the router and the SDK have cached what they cache. Pagespan remembers 32 roots. */
const WARM_NAVIGATIONS = 40
const ITEMS = 5
/** The batch processor of OpenTelemetry sends after five seconds. */
const FLUSHED_MS = 6_000

/** Bytes of JavaScript's heap after a forced collection. */
export interface SessionFigures {
  readonly heap: number
  /** From the 40th to the 100th navigation. */
  readonly growth: number
}

/** Navigates 100 times in one page, between two routes. */
export function measureSession(browser: Browser, origin: string): Promise<SessionFigures> {
  return visit(browser, async ({ page, devtools }) => {
    await page.goto(origin, { waitUntil: "load" })
    await navigate(page, WARM_NAVIGATIONS)
    await page.waitForTimeout(FLUSHED_MS)
    const warm = await collectedHeap(devtools)
    await navigate(page, NAVIGATIONS - WARM_NAVIGATIONS)
    await page.waitForTimeout(FLUSHED_MS)
    const heap = await collectedHeap(devtools)
    return { heap, growth: heap - warm }
  })
}

/** @param times an even number: each second navigation is back to the first page. */
async function navigate(page: Page, times: number): Promise<void> {
  for (let time = 0; time < times; time += 2) {
    const id = ((time / 2) % ITEMS) + 1
    await page.getByRole("link", { name: `Open ${id}` }).click()
    await page.getByRole("heading", { name: `Item ${id}` }).waitFor()
    await page.getByRole("link", { name: "Back" }).click()
    await page.getByRole("heading", { name: "All items" }).waitFor()
  }
}
