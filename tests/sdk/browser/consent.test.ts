import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { launchChromium } from "#tests/support/chromium.ts"
import { RecordingSentry } from "#tests/support/recording-sentry.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { type AppUnderTest, startApp } from "./app-under-test.ts"
import { isRoot, open, rootsOf, route, shows, storyOf } from "./visit.ts"

let browser: Browser
let sentry: RecordingSentry
let asking: AppUnderTest
let trusting: AppUnderTest

beforeAll(async () => {
  browser = await launchChromium()
  sentry = await new RecordingSentry().listen()
  asking = await startApp("consent", { environment: { SENTRY_DSN: sentry.dsn } })
  trusting = await startApp("routes", { environment: { SENTRY_DSN: sentry.dsn } })
})

afterAll(async () => {
  await asking?.stop()
  await trusting?.stop()
  await browser?.close()
  await sentry?.close()
})

beforeEach(() => sentry.clear())

interface Watched {
  readonly page: Page
  /** Requests to the tunnel, and requests of the page with trace headers. */
  readonly telemetry: string[]
}

async function watched(url: string, prepare?: (context: BrowserContext) => Promise<unknown>): Promise<Watched> {
  const context = await browser.newContext()
  await prepare?.(context)
  const page = await context.newPage()
  const telemetry: string[] = []
  page.on("request", (request) => {
    const { pathname } = new URL(request.url())
    const headers = request.headers()
    if (pathname === "/monitoring" || "traceparent" in headers || "sentry-trace" in headers) telemetry.push(pathname)
  })
  await open(page, url)
  return { page, telemetry }
}

type Consent = { pagespan: { grantConsent(): void; withdrawConsent(): void } }
const grant = (page: Page) => page.evaluate(() => (window as unknown as Consent).pagespan.grantConsent())
const withdraw = (page: Page) => page.evaluate(() => (window as unknown as Consent).pagespan.withdrawConsent())
const stored = (page: Page) =>
  page.evaluate(() => [...Object.keys(localStorage), ...Object.keys(sessionStorage), document.cookie].filter(Boolean))

async function useThePage(page: Page): Promise<void> {
  await route(page, "push", "/items/1")
  await shows(page, "item")
  await page.evaluate(() => fetch("/api/things/1"))
  await page.waitForTimeout(1_500)
}

const objecting = (context: BrowserContext) =>
  context.addInitScript(() => Object.defineProperty(Navigator.prototype, "globalPrivacyControl", { get: () => true }))

test.each([
  { what: "where consent is required", app: () => asking, prepare: undefined },
  { what: "where Global Privacy Control objects", app: () => trusting, prepare: objecting },
])("before consent nothing is sent, stored or put into headers: $what", async ({ app, prepare }) => {
  const { page, telemetry } = await watched(`${app().origin}/static`, prepare)
  await useThePage(page)
  expect(telemetry).toEqual([])
  expect(await stored(page)).toEqual([])
  await page.goto("about:blank")
  await page.context().close()
  expect(sentry.transactions().filter(isRoot)).toEqual([])
})

test.each([
  { what: "where consent is required", app: () => asking, prepare: undefined },
  { what: "where Global Privacy Control objects", app: () => trusting, prepare: objecting },
])("after consent the page is traced, its load included: $what", async ({ app, prepare }) => {
  const { page, telemetry } = await watched(`${app().origin}/static`, prepare)
  await grant(page)
  await useThePage(page)
  await waitFor("a delivery", () => telemetry.includes("/monitoring"))
  expect(await stored(page)).toEqual(["pagespan.session"])
  const roots = await rootsOf(page, sentry, 2)
  expect(storyOf(roots)).toEqual(["pageload /static", "navigation /items/[id] by push"])
})

test("consent that is given on another page records the load under the route of the document, and later navigations", async () => {
  const { page } = await watched(`${asking.origin}/static`)
  await route(page, "push", "/items/1")
  await shows(page, "item")
  await grant(page)
  await page.waitForTimeout(500)
  await route(page, "push", "/static")
  await shows(page, "static")
  await route(page, "push", "/items/2")
  await shows(page, "item")
  const roots = await rootsOf(page, sentry, 3)
  expect(storyOf(roots)).toEqual(["pageload /static", "navigation /static by push", "navigation /items/[id] by push"])
  expect(roots[0]?.["contexts"].trace.data["url.path"]).toBe("/static")
})

test("withdrawn consent deletes waiting records and the session, and restores the page's own functions", async () => {
  const { page, telemetry } = await watched(`${asking.origin}/static`)
  const native = await page.evaluateHandle(() => {
    const { open, send, setRequestHeader } = XMLHttpRequest.prototype
    return { fetch: window.fetch, open, send, setRequestHeader }
  })
  const areNative = () =>
    page.evaluate((native) => {
      const { open, send, setRequestHeader } = XMLHttpRequest.prototype
      const now = { fetch: window.fetch, open, send, setRequestHeader }
      return Object.entries(now).map(([name, method]) => method === native[name as keyof typeof now])
    }, native)
  await grant(page)
  await waitFor("all to be patched", async () => (await areNative()).every((isNative) => !isNative))
  await withdraw(page)
  expect(await areNative()).toEqual([true, true, true, true])
  expect(await stored(page)).toEqual([])
  telemetry.length = 0
  await useThePage(page)
  await page.evaluate(() => setTimeout(() => Promise.reject(new Error("after")), 0))
  await page.waitForTimeout(100)
  expect(telemetry).toEqual([])
  await page.goto("about:blank")
  await page.context().close()
  expect(sentry.transactions().filter(isRoot)).toEqual([])
  expect(sentry.errors()).toEqual([])
})

test("consent that is given again traces from the next navigation on", async () => {
  const { page } = await watched(`${asking.origin}/static`)
  await grant(page)
  await withdraw(page)
  await grant(page)
  await useThePage(page)
  const roots = await rootsOf(page, sentry, 1)
  expect(roots.map((root) => root["transaction"])).toEqual(["/items/[id]"])
})
