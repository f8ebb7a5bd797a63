import type { BrowserContext, Page } from "playwright-core"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import type { Payload } from "#tests/support/recording-sentry.ts"
import { sleep, waitFor } from "#tests/support/wait-for.ts"
import { type RecordedApp, startRecordedApp } from "./recorded-app.ts"
import { isRoot, visit } from "./visit.ts"

let { browser, sentry, collector, app } = {} as RecordedApp
let recorded: RecordedApp

beforeAll(async () => {
  recorded = await startRecordedApp("routes")
  ;({ browser, sentry, collector, app } = recorded)
}, 240_000)
afterAll(() => recorded?.stop())

beforeEach(() => {
  sentry.clear()
  collector.clear()
})

const CLOSES = 50

const isPageload = ({ attributes }: Payload) =>
  attributes.some(({ key, value }: Payload) => key === "sentry.op" && value.stringValue === "pageload")

const rootsInSentry = () =>
  new Set(
    sentry
      .transactions()
      .filter(isRoot)
      .map((root) => root["contexts"].trace.span_id),
  )
const rootsInCollector = () => {
  const spans = collector.requests.flatMap(({ body }) =>
    (JSON.parse(body.toString()) as Payload)["resourceSpans"].flatMap(({ scopeSpans }: Payload) =>
      scopeSpans.flatMap((scope: Payload) => scope["spans"]),
    ),
  )
  return new Set(spans.filter(isPageload).map(({ spanId }: Payload) => String(spanId)))
}

test(`of ${CLOSES} tabs closed at any moment, at least 99 of 100 ended roots arrive, at Sentry and at the collector`, async () => {
  // Closes a tab and not the profile, for which the browser would cancel its pending requests.
  const contexts: BrowserContext[] = []
  for (let close = 0; close < CLOSES; close++) {
    const page = await visit(browser, `${app.origin}${close % 2 === 0 ? "/items/1" : "/static"}`)
    await sleep((close * 37) % 400)
    contexts.push(page.context())
    await page.close({ runBeforeUnload: false })
  }
  // What does not arrive in time is missing from the shares below.
  await waitFor("the last root", () => rootsInSentry().size + rootsInCollector().size >= 2 * CLOSES, 5_000).catch(
    () => undefined,
  )
  await Promise.all(contexts.map((context) => context.close()))
  const arrived = rootsInSentry().size + rootsInCollector().size
  console.info(`${arrived} of ${2 * CLOSES} roots arrived`)
  expect(arrived).toBeGreaterThanOrEqual(0.99 * 2 * CLOSES)
})

const hide = (page: Page) =>
  page.evaluate(() => {
    Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true })
    document.dispatchEvent(new Event("visibilitychange", { bubbles: true }))
  })

test("a root ends when the page is hidden, with this end reason", async () => {
  const page = await visit(browser, `${app.origin}/static`)
  await hide(page)
  const root = await sentry.waitForTransaction("pageload", isRoot)
  expect(root["contexts"].trace.data["pagespan.end_reason"]).toBe("document_hidden")
  await page.context().close()
})

test("an error during unload is sent with its type, value and trace, without queries and credentials, and without its stack", async () => {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`${app.origin}/items/1`, { waitUntil: "commit" })
  await page.waitForFunction(() => Symbol.for("pagespan.page") in window)
  await page.evaluate(() => {
    const error = new TypeError("GET https://shop:hunter2@api.example/cart?token=hunter2hunter2 is too late")
    window.dispatchEvent(new ErrorEvent("error", { error, message: error.message }))
    window.dispatchEvent(new PageTransitionEvent("pagehide", { persisted: false }))
  })
  const error = await sentry.waitForError("raw", ({ exception }) => exception.values[0].value.endsWith("too late"))
  const root = await sentry.waitForTransaction("pageload", isRoot)
  expect(error).toMatchObject({
    exception: {
      values: [{ type: "TypeError", value: "GET https://api.example/cart is too late", mechanism: { handled: false } }],
    },
    contexts: { trace: { trace_id: root["contexts"].trace.trace_id, span_id: root["contexts"].trace.span_id } },
  })
  expect(JSON.stringify(sentry.envelopes())).not.toContain("hunter2")
  await context.close()
})
