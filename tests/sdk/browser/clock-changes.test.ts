import type { BrowserContext, Page } from "playwright-core"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import type { Payload } from "#tests/support/recording-sentry.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { attributesOf, childrenOf, type OtlpSpan, pageSpans } from "./exported-spans.ts"
import { type RecordedApp, startRecordedApp } from "./recorded-app.ts"
import { endRoot, isIdle, open, route, shows } from "./visit.ts"

/** The clocks of a page whose machine sleeps, or whose system time is set: `performance.now()` does not follow `Date.now()`. */

const HOUR_MS = 60 * 60 * 1_000
/** A time that is wrong is wrong by an hour or more. */
const TOLERANCE_MS = 60_000

let { browser, sentry, collector, app } = {} as RecordedApp
let recorded: RecordedApp

beforeAll(async () => {
  recorded = await startRecordedApp("routes")
  ;({ browser, sentry, collector, app } = recorded)
})
afterAll(() => recorded?.stop())
beforeEach(() => {
  sentry.clear()
  collector.clear()
})

type Clocks = { setClock(offsetMs: number): void }

/** A page whose system clock differs from this machine's by `offsetMs` when it is opened. */
async function visitAt(offsetMs: number, prepare?: (profile: BrowserContext) => Promise<unknown>): Promise<Page> {
  const context = await browser.newContext()
  await prepare?.(context)
  await context.addInitScript((initial) => {
    const native = Date.now
    const origin = performance.timeOrigin + initial
    let offset = initial
    Date.now = () => native() + offset
    Object.defineProperty(performance, "timeOrigin", { get: () => origin })
    Object.assign(window, { setClock: (given: number) => (offset = given) })
  }, offsetMs)
  const page = await context.newPage()
  await open(page, `${app.origin}/items/1`)
  await isIdle(page)
  return page
}

/** The same, as the browser prerenders it: it is shown with `activate`. */
async function prerenderAt(offsetMs: number): Promise<Page> {
  const prepare = (profile: BrowserContext) =>
    profile.addInitScript(() => {
      let activationStart = 0
      Object.defineProperty(document, "prerendering", { get: () => activationStart === 0 })
      Object.defineProperty(PerformanceNavigationTiming.prototype, "activationStart", { get: () => activationStart })
      const activate = () => {
        activationStart = performance.now()
        document.dispatchEvent(new Event("prerenderingchange"))
      }
      Object.assign(window, { activate })
    })
  return visitAt(offsetMs, prepare)
}

const setClock = (page: Page, offsetMs: number) =>
  page.evaluate((given) => (window as unknown as Clocks).setClock(given), offsetMs)

/** The root of that name. The idle second ends the root of a load. */
const rootOf = (name: string) => sentry.waitForTransaction(name, ({ transaction }) => transaction === name)
const loaded = () => rootOf("/items/[id]")

/** Ends what is open, and unloads the page. */
async function leave(page: Page): Promise<void> {
  await endRoot(page)
  await page.goto("about:blank")
  await page.context().close()
}

const startOf = (span: OtlpSpan) => Number(span["startTimeUnixNano"]) / 1e6
const durationOf = (span: OtlpSpan) => Number(span["endTimeUnixNano"]) / 1e6 - startOf(span)
const spanOf = (path: string) =>
  waitFor(path, () => pageSpans(collector).find((span) => attributesOf(span)["url.full"] === `${app.origin}${path}`))

function expectNear(given: number, expected: number): void {
  expect(Math.abs(given - expected)).toBeLessThan(TOLERANCE_MS)
}

/** No longer than the test has run, and not shortened to nothing. */
function expectLasted(ms: number, startedAt: number): void {
  expect(ms).toBeGreaterThan(0)
  expect(ms).toBeLessThan(Date.now() - startedAt)
}

function expectWithin(root: Payload): void {
  for (const child of childrenOf(root)) {
    expect(child["timestamp"]).toBeGreaterThanOrEqual(child["start_timestamp"])
    expect(child["start_timestamp"]).toBeGreaterThanOrEqual(root["start_timestamp"])
    expect(child["timestamp"]).toBeLessThanOrEqual(root["timestamp"] + 0.001)
  }
}

const cases = [
  ["has slept for two hours", -2 * HOUR_MS, 0],
  ["finds its clock set back by an hour", 0, -HOUR_MS],
] as const

test.each(cases)("a page that %s records what follows at the time of the system", async (_what, before, after) => {
  const openedAt = Date.now() + before
  const page = await visitAt(before)
  const load = await loaded()
  await setClock(page, after)
  const now = Date.now() + after
  await page.evaluate(() => fetch("/api/things/7"))
  await page.evaluate(() => reportError(new Error("after the change")))
  await route(page, "push", "/about")
  await shows(page, "about")
  const error = await waitFor("the error", () =>
    sentry.items("event").find(({ payload }) => JSON.stringify(payload).includes("after the change")),
  )
  await leave(page)
  const navigation = await rootOf("/about")
  expectNear(load["start_timestamp"] * 1e3, openedAt)
  expectWithin(load)
  const request = await spanOf("/api/things/7")
  expectNear(startOf(request), now)
  expectLasted(durationOf(request), openedAt - before)
  expectNear(error.payload["timestamp"] * 1e3, now)
  expectNear(navigation["start_timestamp"] * 1e3, now)
  expectLasted((navigation["timestamp"] - navigation["start_timestamp"]) * 1e3, openedAt - before)
  expect(childrenOf(navigation).map(({ description }) => description)).toContain("transition")
  expectWithin(navigation)
  // What the browser timed before the change keeps its time, also where it is recorded after it.
  for (const name of ["ttfb", "fcp", "lcp"]) {
    const isVital = (span: OtlpSpan) => span["name"] === `browser.web_vital.${name}`
    expectNear(startOf(await waitFor(name, () => pageSpans(collector).find(isVital))), openedAt)
  }
})

test.each(cases)("a page that %s keeps the durations of requests in flight", async (_what, before, after) => {
  const openedAt = Date.now()
  const page = await visitAt(before)
  await page.route("**/api/things/slow", async (intercepted) => {
    await waitFor("the change", () => isChanged)
    await intercepted.fulfill({ json: {} })
  })
  let isChanged = false
  await loaded()
  await page.evaluate(() => Object.assign(window, { slow: fetch("/api/things/slow") }))
  await page.evaluate(() => Object.assign(window, { stuck: fetch("/api/stream") }))
  await setClock(page, after)
  // Begins after the change, while the others are in flight.
  await page.evaluate(() => fetch("/api/things/7"))
  isChanged = true
  await page.evaluate(() => (window as unknown as { slow: Promise<unknown> }).slow)
  await leave(page)
  for (const path of ["/api/things/slow", "/api/stream"]) {
    const request = await spanOf(path)
    expectNear(startOf(request), Date.now() + before)
    expectLasted(durationOf(request), openedAt)
  }
  expectNear(startOf(await spanOf("/api/things/7")), Date.now() + after)
})

test.each(cases)(
  "a root during which the page %s contains its children, and the next one is right",
  async (_what, before, after) => {
    const openedAt = Date.now()
    const page = await visitAt(before)
    await loaded()
    await route(page, "push", "/slow")
    await setClock(page, after)
    await page.evaluate(() => fetch("/api/things/7"))
    await route(page, "push", "/about")
    const now = Date.now() + after
    await shows(page, "about")
    await leave(page)
    const interrupted = await rootOf("/slow")
    const next = await rootOf("/about")
    expectNear(interrupted["start_timestamp"] * 1e3, Date.now() + before)
    expect(interrupted["contexts"].trace.data["pagespan.end_reason"]).toBe("superseded")
    expectLasted((interrupted["timestamp"] - interrupted["start_timestamp"]) * 1e3, openedAt)
    expect(childrenOf(interrupted).map(({ description }) => description)).toContain("GET /api/things/[id]")
    expectWithin(interrupted)
    expectNear(next["start_timestamp"] * 1e3, now)
    expectWithin(next)
  },
)

test.each(cases)("a prerendered page that %s is loaded at the time of the system", async (_what, before, after) => {
  const openedAt = Date.now()
  const page = await prerenderAt(before)
  // The tracer takes what was more than a second ago for before the change, such as the end of the document's load here.
  await page.waitForTimeout(1_200)
  await setClock(page, after)
  await page.evaluate(() => (window as unknown as { activate(): void }).activate())
  const load = await loaded()
  expectNear(load["start_timestamp"] * 1e3, Date.now() + after)
  expectLasted((load["timestamp"] - load["start_timestamp"]) * 1e3, openedAt)
  expectWithin(load)
  await leave(page)
})
