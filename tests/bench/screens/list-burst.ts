import type { Page } from "playwright-core"
import { type Bench, freshPage, type Line, milliseconds, type Scenario } from "./scenario.ts"

/** Responsiveness of the open list while many traces arrive. */

const TRACES = 2_000
const SPANS_A_TRACE = 5
const REQUESTS = 40
/** The rows of the list. The chart above it has a visually hidden table too. */
const ROW = "tr[data-row]"

interface Watched {
  longestTask: number
  blocked: number
  slowestEvent: number
}

export const listBurst: Scenario = async (bench) => {
  const lines: Line[] = []
  for (const reading of [false, true]) {
    const page = await freshPage(bench)
    await page.goto(`${bench.app.url}/traces`)
    await page.getByLabel("Live connection").getByText("Live").waitFor()
    await page.waitForTimeout(2_000)
    await page.evaluate(watch)
    if (reading) await page.locator(ROW).first().hover()
    const start = performance.now()
    await Promise.all([send(bench, reading ? 1 : 0), use(page)])
    const took = performance.now() - start
    await page.waitForTimeout(4_000)
    const seen = await page.evaluate(() => (window as unknown as { watched: Watched }).watched)
    const skipped = await page.locator("header").getByText("not shown live").allInnerTexts()
    lines.push({
      what: `${TRACES.toLocaleString("en-US")} new traces, ${reading ? "under the pointer" : "nobody reads"}`,
      "sent in": milliseconds(took),
      "longest task": milliseconds(seen.longestTask),
      "tasks over 50 ms, in all": milliseconds(seen.blocked),
      "slowest event (INP)": milliseconds(seen.slowestEvent),
      "rows in DOM": await page.locator(ROW).count(),
      said: skipped.join(" ") || (await page.getByRole("button", { name: /new$/ }).allInnerTexts()).join(" "),
    })
    await page.context().close()
  }
  return lines
}

/** Starts recording long tasks and slow events. */
function watch(): void {
  const watched: Watched = { longestTask: 0, blocked: 0, slowestEvent: 0 }
  ;(window as unknown as { watched: Watched }).watched = watched
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) {
      watched.longestTask = Math.max(watched.longestTask, duration)
      watched.blocked += duration
    }
  }).observe({ type: "longtask" })
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) watched.slowestEvent = Math.max(watched.slowestEvent, duration)
  }).observe({ type: "event", durationThreshold: 16 } as PerformanceObserverInit)
}

/** Types into the filter and moves the focus away. */
async function use(page: Page): Promise<void> {
  for (let turn = 0; turn < 8; turn++) {
    await page.keyboard.press("/")
    await page.keyboard.type("serv", { delay: 40 })
    await page.keyboard.press("Escape")
    await page.keyboard.press("Escape")
  }
}

async function send({ app }: Bench, round: number): Promise<void> {
  const each = TRACES / REQUESTS
  for (let request = 0; request < REQUESTS; request++) {
    const traces = Array.from({ length: each }, (_, index) => spansOf(round * TRACES + request * each + index))
    const resource = { attributes: [{ key: "service.name", value: { stringValue: "burst" } }] }
    await fetch(`${app.url}/v1/traces`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans: traces.flat() }] }] }),
    })
  }
}

function spansOf(trace: number) {
  const now = BigInt(Date.now()) * 1_000_000n
  const traceId = (trace + 1).toString(16).padStart(32, "b0")
  const idOf = (index: number) => ((trace + 1) * SPANS_A_TRACE + index).toString(16).padStart(16, "c0")
  return Array.from({ length: SPANS_A_TRACE }, (_, index) => ({
    traceId,
    spanId: idOf(index),
    ...(index > 0 && { parentSpanId: idOf(0) }),
    name: index === 0 ? `/burst/${trace % 30}/[item]` : `operation ${index}`,
    kind: 2,
    startTimeUnixNano: String(now),
    endTimeUnixNano: String(now + BigInt(index + 1) * 1_000_000n),
  }))
}
