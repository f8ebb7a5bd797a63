import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { OFFLINE_DELIVERY_LIMIT } from "#otel/protocol/limits.ts"
import { launchChromium } from "#tests/support/chromium.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { type Payload, RecordingSentry } from "#tests/support/recording-sentry.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { type AppUnderTest, startApp } from "../app-under-test.ts"
import { isRoot, open, pageloadOf, route, shows } from "../visit.ts"
import { storedDeliveries } from "./stored-in-page.ts"

let browser: Browser
let sentry: RecordingSentry
let collector: RecordingCollector
let app: AppUnderTest

beforeAll(async () => {
  browser = await launchChromium()
  sentry = await new RecordingSentry().listen()
  collector = await new RecordingCollector().listen()
  app = await startApp("routes", {
    environment: { SENTRY_DSN: sentry.dsn, OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint },
  })
})

afterAll(async () => {
  await app?.stop()
  await browser?.close()
  await sentry?.close()
  await collector?.close()
})

beforeEach(() => {
  sentry.answer = { status: 200 }
  sentry.clear()
  collector.clear()
})

/** A page whose Sentry client has sent its pageload. */
async function onlinePage(prepare?: (page: Page) => Promise<unknown>): Promise<Page> {
  const page = await (await browser.newContext()).newPage()
  await prepare?.(page)
  await open(page, `${app.origin}/static`)
  await pageloadOf(page, sentry)
  await waitFor("the spans of the pageload", () => collector.spans().some(({ name }) => name === "/static"))
  // The chunk that stores deliveries loads while there is a network.
  await page.waitForTimeout(500)
  sentry.clear()
  collector.clear()
  return page
}

async function offlinePage(prepare?: (page: Page) => Promise<unknown>): Promise<Page> {
  const page = await onlinePage(prepare)
  await page.context().setOffline(true)
  return page
}

async function throwInPage(page: Page, message: string): Promise<void> {
  await page.evaluate((text) => void setTimeout(() => Promise.reject(new Error(text)), 0), message)
}

const valueOf = (event: Payload) => event["exception"].values[0].value

test("offline deliveries are stored across a reload, and sent once later, with the time of sending", async () => {
  const page = await onlinePage()
  await route(page, "push", "/items/1")
  await shows(page, "item")
  // The navigation has not ended yet.
  await page.context().setOffline(true)
  await throwInPage(page, "offline error")
  await waitFor(
    "the error and a batch of spans to be stored",
    async () => {
      const kinds = new Set((await storedDeliveries(page)).map(({ kind }) => kind))
      return kinds.has("envelope") && kinds.has("otlp")
    },
    15_000,
  )
  const [first] = await storedDeliveries(page)
  expect(sentry.transactions().filter(isRoot)).toEqual([])
  expect(sentry.errors()).toEqual([])
  await page.waitForTimeout(50)
  await page.goto("about:blank")
  const back = Date.now()
  await page.context().setOffline(false)
  await open(page, `${app.origin}/static`)
  await sentry.waitForError("of before", (event) => valueOf(event) === "offline error")
  await waitFor("the spans of before", () => collector.spans().some(({ name }) => name === "/items/[id]"))
  const [sent] = sentry.items("event")
  expect(Date.parse(sent?.envelope.header["sent_at"])).toBeGreaterThanOrEqual(back)
  expect(sent?.payload["timestamp"] * 1_000).toBeLessThanOrEqual(first?.at ?? 0)
  await waitFor("nothing to be stored", async () => (await storedDeliveries(page)).length === 0)
  await page.waitForTimeout(300)
  expect(sentry.errors()).toHaveLength(1)
  await page.context().close()
})

test("stored deliveries are sent when the browser reports a network", async () => {
  const page = await offlinePage()
  await throwInPage(page, "short break")
  await waitFor("the error to be stored", async () => (await storedDeliveries(page)).length > 0)
  expect(sentry.requests).toEqual([])
  await page.context().setOffline(false)
  await sentry.waitForError("of the break", (event) => valueOf(event) === "short break")
  await waitFor("nothing to be stored", async () => (await storedDeliveries(page)).length === 0)
  await page.context().close()
})

test.each([429, 503])(
  "a delivery that is answered %i is sent again after its Retry-After, and not before",
  async (status) => {
    const page = await offlinePage((each) => each.clock.install())
    await throwInPage(page, "stored")
    await waitFor("the error to be stored", async () => (await storedDeliveries(page)).length > 0)
    sentry.answer = { status, headers: { "retry-after": "600" } }
    await page.context().setOffline(false)
    const attempts = () => sentry.errors().filter((event) => valueOf(event) === "stored").length
    await waitFor("the first attempt", () => attempts() === 1)
    sentry.answer = { status: 200 }
    // Neither an `online` event nor a successful delivery makes it earlier.
    await page.evaluate(() => window.dispatchEvent(new Event("online")))
    await route(page, "push", "/items/1")
    await shows(page, "item")
    await route(page, "push", "/static")
    await waitFor("spans to be delivered", () => collector.spans().some(({ name }) => name === "/items/[id]"))
    await page.clock.fastForward(590_000)
    await page.waitForTimeout(300)
    expect([attempts(), (await storedDeliveries(page)).length]).toEqual([1, 1])
    await page.clock.fastForward(20_000)
    await waitFor("the second attempt", () => attempts() === 2)
    await waitFor("nothing to be stored", async () => (await storedDeliveries(page)).length === 0)
    await page.context().close()
  },
)

test("withdrawn consent deletes stored deliveries, even if nothing was traced since", async () => {
  const page = await offlinePage()
  await throwInPage(page, "private")
  await waitFor("the error to be stored", async () => (await storedDeliveries(page)).length > 0)
  await page.evaluate(() => (window as unknown as { pagespan: { withdrawConsent(): void } }).pagespan.withdrawConsent())
  await waitFor("nothing to be stored", async () => (await storedDeliveries(page)).length === 0)
  await page.context().setOffline(false)
  await open(page, `${app.origin}/items/1`)
  await sentry.waitForTransaction("the next pageload", isRoot)
  await page.waitForTimeout(300)
  expect(sentry.errors()).toEqual([])
  await page.context().close()
})

/** Stores deliveries of a few bytes and of this age, as if the page had stored them. */
function keepBefore(page: Page, count: number, ageMs: number): Promise<void> {
  const body = `{"sent_at":"2020-01-01T00:00:00.000Z"}\n{"type":"event"}\n{"message":"before"}`
  const delivery = { kind: "envelope", body, headers: {}, bytes: 100, category: "error", count: 1 }
  return page.evaluate(
    async ({ count, ageMs, delivery }) => {
      const database = await new Promise<IDBDatabase>((resolve) => {
        const request = indexedDB.open("pagespan")
        request.onupgradeneeded = () => request.result.createObjectStore("deliveries", { autoIncrement: true })
        request.onsuccess = () => resolve(request.result)
      })
      const transaction = database.transaction("deliveries", "readwrite")
      for (let index = 0; index < count; index++)
        transaction.objectStore("deliveries").add({ ...delivery, at: Date.now() - ageMs })
      await new Promise((resolve) => (transaction.oncomplete = resolve))
      database.close()
    },
    { count, ageMs, delivery },
  )
}

test("deliveries beyond the maximum number or age are deleted, oldest first, and each is reported as a drop", async () => {
  const page = await offlinePage()
  const dropHeaders: string[] = []
  page.on("request", (request) => dropHeaders.push(request.headers()["pagespan-drops"] ?? ""))
  await keepBefore(page, OFFLINE_DELIVERY_LIMIT + 2, 0)
  await throwInPage(page, "one more")
  await waitFor("the oldest to go", async () => (await storedDeliveries(page)).length === OFFLINE_DELIVERY_LIMIT)
  await page.context().setOffline(false)
  await sentry.waitForError("the newest", (event) => event["exception"] && valueOf(event) === "one more")
  await waitFor("the drops to be reported", () =>
    dropHeaders.some((header) => header.includes("queue_overflow/error=3")),
  )
  await waitFor("nothing to be stored", async () => (await storedDeliveries(page)).length === 0)

  await keepBefore(page, 4, 24 * 60 * 60 * 1_000 + 1)
  sentry.clear()
  await open(page, `${app.origin}/items/1`)
  await waitFor("the drops to be reported", () => dropHeaders.some((header) => header.includes("expired/error=4")))
  expect(sentry.errors()).toEqual([])
  await page.context().close()
})
