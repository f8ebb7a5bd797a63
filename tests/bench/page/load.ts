import type { Browser, CDPSession, Page } from "playwright-core"

/** After the load event: Pagespan has loaded what it loads when idle, and each SDK has sent its page load. */
export const SETTLED_MS = 4_000
/** Before a start is measured: the renderer of a new context has started, and that of the last one has ended. */
const BEFORE_START_MS = 250
const CLICKS = 8
const BETWEEN_CLICKS_MS = 60
/** Ends a visit that hangs. */
const VISIT_LIMIT_MS = 120_000

/** Times in milliseconds. */
export interface LoadFigures {
  /** CPU time of the main thread from the request of the page until `SETTLED_MS` after its load. */
  readonly cpu: number
  readonly firstPaint: number
  readonly largestPaint: number
  /** INP over the clicks on one button: with fewer than 50 interactions the slowest. The browser rounds it to 8 ms. */
  readonly interaction: number
  /** Bytes of JavaScript's heap after a forced collection. */
  readonly heap: number
}

/** A page in a browser context of its own: nothing is cached, and no other page shares its process. */
export interface Visit {
  readonly page: Page
  readonly devtools: CDPSession
}

/** Runs a visit and closes its page in any case. Rejects after `VISIT_LIMIT_MS`. */
export async function visit<T>(browser: Browser, work: (visit: Visit) => Promise<T>): Promise<T> {
  const context = await browser.newContext()
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the visit took over ${VISIT_LIMIT_MS} ms`)), VISIT_LIMIT_MS)
  })
  try {
    const page = await context.newPage()
    const devtools = await context.newCDPSession(page)
    return await Promise.race([work({ page, devtools }), limit])
  } finally {
    clearTimeout(timer)
    await context.close()
  }
}

/**
 * Measures the main thread's time from the SDK's first line until it has started, in milliseconds. The clock of a page has steps
 * of 0.1 ms, and the machine does other things meanwhile, so it takes many short visits.
 */
export function measureStart(browser: Browser, origin: string): Promise<number> {
  return visit(browser, async ({ page }) => {
    await page.waitForTimeout(BEFORE_START_MS)
    await page.goto(origin, { waitUntil: "load" })
    return page.evaluate(() => (globalThis as unknown as { sdkStartMs: number }).sdkStartMs)
  })
}

export function measureLoad(browser: Browser, origin: string): Promise<LoadFigures> {
  return visit(browser, async ({ page, devtools }) => {
    // CPU time of the thread, which other processes on the machine do not stretch.
    await devtools.send("Performance.enable", { timeDomain: "threadTicks" })
    await page.goto(origin, { waitUntil: "load" })
    await page.waitForTimeout(SETTLED_MS)
    const { metrics } = await devtools.send("Performance.getMetrics")
    const seconds = metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN
    const heap = await collectedHeap(devtools)
    const paints = await page.evaluate(readPaints)
    return { cpu: seconds * 1e3, heap, ...paints, interaction: await slowestClick(page) }
  })
}

/** Bytes in use after two collections: the second one frees what finalizers of the first released. */
export async function collectedHeap(devtools: CDPSession): Promise<number> {
  for (let collection = 0; collection < 2; collection++) await devtools.send("HeapProfiler.collectGarbage")
  return (await devtools.send("Runtime.getHeapUsage")).usedSize
}

async function readPaints(): Promise<Pick<LoadFigures, "firstPaint" | "largestPaint">> {
  const largest = await new Promise<PerformanceEntry | undefined>((resolve) => {
    new PerformanceObserver((list) => resolve(list.getEntries().at(-1))).observe({
      type: "largest-contentful-paint",
      buffered: true,
    })
  })
  return {
    firstPaint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.NaN,
    largestPaint: largest?.startTime ?? Number.NaN,
  }
}

async function slowestClick(page: Page): Promise<number> {
  await page.evaluate(() => {
    const durations: number[] = []
    const observer = new PerformanceObserver((list) =>
      durations.push(...list.getEntries().map((each) => each.duration)),
    )
    // 16 ms is the smallest threshold that the browser accepts.
    observer.observe({ type: "event", durationThreshold: 16 } as PerformanceObserverInit)
    Object.assign(globalThis, { clickDurations: durations })
  })
  for (let click = 0; click < CLICKS; click++) {
    await page.getByRole("button", { name: "Sort" }).click()
    await page.waitForTimeout(BETWEEN_CLICKS_MS)
  }
  // Clicks below the threshold are not reported: they count as 16 ms.
  return page.evaluate(() => Math.max(16, ...(globalThis as unknown as { clickDurations: number[] }).clickDurations))
}
