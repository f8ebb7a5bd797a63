import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { launchChromium } from "#tests/support/chromium.ts"
import { type Payload, RecordingSentry } from "#tests/support/recording-sentry.ts"
import { type AppUnderTest, startApp } from "./app-under-test.ts"
import { isRoot, open, rootsOf, route, shows, storyOf, visit } from "./visit.ts"

let browser: Browser
let sentry: RecordingSentry
let app: AppUnderTest

beforeAll(async () => {
  browser = await launchChromium()
  sentry = await new RecordingSentry().listen()
  app = await startApp("routes", { environment: { SENTRY_DSN: sentry.dsn } })
}, 240_000)

afterAll(async () => {
  await app?.stop()
  await browser?.close()
  await sentry?.close()
})

beforeEach(() => sentry.clear())

const traceOf = (root: Payload | undefined) => root?.["contexts"].trace

test("a page that was rendered for this visitor joins the server's trace, under the server's root", async () => {
  const page = await visit(browser, `${app.origin}/items/1`)
  const [root] = await rootsOf(page, sentry, 1)
  const server = await sentry.waitForTransaction("of the server", ({ platform, transaction }) => {
    return platform === "node" && transaction === "GET /items/[id]"
  })
  expect(traceOf(root).trace_id).toBe(server["contexts"].trace.trace_id)
  expect(traceOf(root).parent_span_id).toBe(server["contexts"].trace.span_id)
})

test.each([
  ["made at build time", "/static"],
  ["made at build time with a parameter", "/isr/built"],
  ["made on demand and kept", "/isr/kept"],
])("visitors of a page %s never share a trace", async (_what, path) => {
  for (let visitor = 0; visitor < 4; visitor++) {
    const page = await visit(browser, `${app.origin}${path}`)
    await rootsOf(page, sentry, visitor + 1)
  }
  const roots = sentry.transactions().filter(isRoot)
  expect(new Set(roots.map((root) => traceOf(root).trace_id)).size).toBe(4)
  expect(roots.map((root) => traceOf(root).parent_span_id)).toEqual([undefined, undefined, undefined, undefined])
})

test("the HTML of a page made at build time names no trace to a hundred visitors; that of one made for each names a hundred", async () => {
  const VISITORS = 100
  const named = async (path: string) => {
    const answers = await Promise.all(Array.from({ length: VISITORS }, () => fetch(`${app.origin}${path}`)))
    const pages = await Promise.all(answers.map((answer) => answer.text()))
    const traces = pages.flatMap(
      (html) => /name="(?:traceparent|sentry-trace)" content="([^"]*)"/.exec(html)?.[1] ?? [],
    )
    return { traces: new Set(traces).size, caching: answers[0]?.headers.get("cache-control") }
  }
  expect(await named("/static")).toMatchObject({ traces: 0 })
  expect(await named("/isr/kept")).toMatchObject({ traces: 0 })
  expect(await named("/items/1")).toEqual({ traces: VISITORS, caching: expect.stringContaining("no-store") })
})

test("a document that the browser restores from its cache does not replay the trace of the first visit", async () => {
  const page = await visit(browser, `${app.origin}/items/1`)
  await open(page, `${app.origin}/items/2`)
  await page.goBack()
  await page.waitForFunction(() => "appRouter" in window)
  const roots = await rootsOf(page, sentry, 3)
  expect(storyOf(roots)).toEqual(Array.from({ length: 3 }, () => "pageload /items/[id]"))
  expect(new Set(roots.map((root) => traceOf(root).trace_id)).size).toBe(3)
})

/** Headless Chromium keeps no page for back and forward, so the page is told what it would be told. */
const restore = (page: Page) =>
  page.evaluate(() => {
    window.dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true }))
    window.dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))
  })

test("a page that comes back from the back/forward cache is a navigation of that type", async () => {
  const page = await visit(browser, `${app.origin}/static`)
  await route(page, "push", "/t/42")
  await shows(page, "item 42")
  await restore(page)
  const roots = await rootsOf(page, sentry, 3)
  expect(storyOf(roots)).toEqual([
    "pageload /static",
    "navigation /items/[id] by push",
    "navigation /items/[id] by bfcache",
  ])
})

/** A Chromium that is driven from outside activates no prerendered page, so the document is told what it would be told. */
function pretendPrerendering(): void {
  let isPrerendering = true
  let activationStart = 0
  Object.defineProperty(document, "prerendering", { get: () => isPrerendering })
  Object.defineProperty(PerformanceNavigationTiming.prototype, "activationStart", { get: () => activationStart })
  Object.assign(window, {
    activate() {
      isPrerendering = false
      activationStart = performance.now()
      document.dispatchEvent(new Event("prerenderingchange"))
    },
  })
}

test("a prerendered page begins when it is shown, not when it was fetched", async () => {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.addInitScript(pretendPrerendering)
  await open(page, `${app.origin}/static`)
  await page.waitForTimeout(1_200)
  expect(sentry.transactions().filter(isRoot)).toEqual([])
  const shownAt = await page.evaluate(() => {
    ;(window as unknown as { activate(): void }).activate()
    return performance.timeOrigin + performance.now()
  })
  const [root] = await rootsOf(page, sentry, 1)
  expect(root!["transaction"]).toBe("/static")
  expect(Math.abs(root!["start_timestamp"] * 1_000 - shownAt)).toBeLessThan(20)
  expect(root!["spans"].map(({ op }: Payload) => op)).not.toContain("browser.request")
})
