import { randomUUID } from "node:crypto"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest"
import { collectNotRestoredReasons, launchChromium, launchKeepingPages, openUndriven } from "#tests/support/chromium.ts"
import { type Payload, RecordingSentry } from "#tests/support/recording-sentry.ts"
import { type AppUnderTest, startApp } from "./app-under-test.ts"
import { isRoot, open, pageloadOf, rootsOf, route, shows, storyOf, visit, waitInPage } from "./visit.ts"

let browser: Browser
let sentry: RecordingSentry
let app: AppUnderTest

beforeAll(async () => {
  browser = await launchChromium()
  sentry = await new RecordingSentry().listen()
  app = await startApp("routes", { environment: { SENTRY_DSN: sentry.dsn } })
})

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
  ["rendered on demand and cached", "/isr/kept"],
])("visitors of a page %s never share a trace", async (_what, path) => {
  for (let visitor = 0; visitor < 4; visitor++) {
    const page = await visit(browser, `${app.origin}${path}`)
    await rootsOf(page, sentry, 1)
  }
  const roots = sentry.transactions().filter(isRoot)
  expect(new Set(roots.map((root) => traceOf(root).trace_id)).size).toBe(4)
  expect(roots.map((root) => traceOf(root).parent_span_id)).toEqual([undefined, undefined, undefined, undefined])
})

test("the HTML of a page made at build time names no trace to a hundred visitors, and HTML rendered for each names a hundred", async () => {
  const VISITORS = 100
  const named = async (path: string) => {
    // Each visitor has a connection of their own. The server may close one that is kept alive just as the next request uses it.
    const visitOnce = () => fetch(`${app.origin}${path}`, { headers: { connection: "close" } })
    const answers = await Promise.all(Array.from({ length: VISITORS }, visitOnce))
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

test("cached HTML names no trace either if the request for which it was rendered is not sampled", async () => {
  const unsampled = await startApp("routes", {
    environment: { SENTRY_DSN: sentry.dsn, OTEL_TRACES_SAMPLER: "always_off" },
  })
  onTestFinished(async () => void (await unsampled.stop()))
  const named = async (path: string) => {
    const html = await (await fetch(`${unsampled.origin}${path}`)).text()
    return /name="(?:traceparent|sentry-trace|baggage)"/.test(html)
  }
  // The cache is on disk: rendered by this server, then read from the cache.
  const path = `/isr/${randomUUID()}`
  expect([await named(path), await named(path), await named("/items/1")]).toEqual([false, false, true])
})

test("a document restored from the browser's cache does not replay the trace of the first visit", async () => {
  const page = await visit(browser, `${app.origin}/items/1`)
  await open(page, `${app.origin}/items/2`)
  await page.goBack()
  await waitInPage(page, () => "appRouter" in window)
  const roots = await rootsOf(page, sentry, 3)
  expect(storyOf(roots)).toEqual(Array.from({ length: 3 }, () => "pageload /items/[id]"))
  expect(new Set(roots.map((root) => traceOf(root).trace_id)).size).toBe(3)
})

test("a document from a service worker's cache does not replay the trace of the visit that stored it, also while it arrives", async () => {
  const page = await visit(browser, `${app.origin}/items/1`)
  await pageloadOf(page, sentry)
  await page.evaluate(() =>
    navigator.serviceWorker.register("/cache-first.js").then(() => navigator.serviceWorker.ready),
  )
  // Stored by the first, read by the others.
  for (let load = 0; load < 3; load++) await open(page, `${app.origin}/items/1`)
  const [{ deliveryType }] = await page.evaluate(() =>
    performance.getEntriesByType("navigation").map((entry) => entry.toJSON()),
  )
  expect(deliveryType).toBe("cache-storage")
  const roots = await rootsOf(page, sentry, 4)
  expect(new Set(roots.map((root) => traceOf(root).trace_id)).size).toBe(4)
})

test("a page restored from the back/forward cache is a navigation of that type, in its own trace", async () => {
  const keeping = await launchKeepingPages()
  const page = await visit(keeping, `${app.origin}/static`)
  const notRestored = await collectNotRestoredReasons(page)
  await route(page, "push", "/t/42")
  await shows(page, "item 42")
  await open(page, `${app.origin}/about`)
  // A restored page does not load.
  await page.goBack({ waitUntil: "commit" })
  await shows(page, "item 42")
  const [timing] = await page.evaluate(() => performance.getEntriesByType("navigation").map((entry) => entry.toJSON()))
  const roots = await rootsOf(page, sentry, 4)
  await keeping.close()
  // Nothing of Pagespan's prevents the back/forward cache.
  expect(notRestored).toEqual([])
  expect(timing).toMatchObject({ notRestoredReasons: null, name: expect.stringMatching(/\/static$/) })
  const [loaded, pushed, elsewhere, restored] = roots.map(traceOf)
  expect([loaded, pushed, elsewhere, restored].map(({ op }) => op)).toEqual([
    "pageload",
    "navigation",
    "pageload",
    "navigation",
  ])
  expect(roots[3]).toMatchObject({ transaction: "/items/[id]" })
  expect(restored.data).toMatchObject({ "navigation.type": "bfcache", "url.path": "/t/42" })
  expect(restored.links).toMatchObject([{ trace_id: pushed.trace_id, span_id: pushed.span_id }])
  expect(new Set(roots.map((root) => traceOf(root).trace_id)).size).toBe(4)
})

test("a page that no cache may store returns from the back/forward cache too: none of the responses to its deliveries says no-store", async () => {
  const keeping = await launchKeepingPages()
  const page = await visit(keeping, `${app.origin}/items/1`)
  // Once its root has arrived, the page has received responses of the tunnel.
  await pageloadOf(page, sentry)
  await page.waitForTimeout(500)
  await page.evaluate(() => Object.assign(window, { isFirstDocument: true }))
  const notRestored = await collectNotRestoredReasons(page)
  await open(page, `${app.origin}/about`)
  await page.goBack({ waitUntil: "commit" })
  await shows(page, "item 1")
  const isRestored = await page.evaluate(() => "isFirstDocument" in window)
  const roots = await rootsOf(page, sentry, 3)
  await keeping.close()
  expect({ notRestored, isRestored }).toEqual({ notRestored: [], isRestored: true })
  expect(storyOf(roots)[2]).toMatch(/^navigation \/items\/\[id\] by bfcache/)
})

test("a prerendered page starts when it is shown, not when it was fetched, and its route names it though its address is rewritten", async () => {
  const close = await openUndriven(`${app.origin}/speculating`)
  try {
    const root = await sentry.waitForTransaction(
      "of the prerendered page",
      (each) => isRoot(each) && each["transaction"] === "/items/[id]",
      20_000,
    )
    const server = await sentry.waitForTransaction("of its server", ({ platform, contexts }) => {
      return platform === "node" && contexts.trace.trace_id === traceOf(root).trace_id
    })
    expect(traceOf(root)).toMatchObject({ op: "pageload", parent_span_id: traceOf(server).span_id })
    // The page that started the prerendering navigates 2.5 s after it was parsed.
    expect(root["start_timestamp"] - server["timestamp"]).toBeGreaterThan(0.5)
    expect(root["spans"].map(({ op }: Payload) => op)).not.toContain("browser.request")
  } finally {
    await close()
  }
})
