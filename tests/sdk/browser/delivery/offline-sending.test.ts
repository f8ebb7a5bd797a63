import type { Page } from "playwright-core"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { collectNotRestoredReasons, launchKeepingPages } from "#tests/support/chromium.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { type RecordedApp, startRecordedApp } from "../recorded-app.ts"
import { open, pageloadOf, visit } from "../visit.ts"
import { storedDeliveries } from "./stored-in-page.ts"

let recorded: RecordedApp

beforeAll(async () => {
  recorded = await startRecordedApp("routes", {}, launchKeepingPages)
})
afterAll(() => recorded?.stop())

interface Controlled {
  /** What becomes of the page's deliveries. */
  tunnel: "answers" | "is unreachable" | "does not answer"
  lockRequests: number
  /** How long the next counts of stored deliveries take, in milliseconds. */
  readonly countWaits: number[]
  readonly isDocument: string
}

/** Counts the requests for locks, and controls what becomes of deliveries and how long it takes to count stored ones. */
function control(): void {
  const controlled: Controlled = { tunnel: "answers", lockRequests: 0, countWaits: [], isDocument: location.pathname }
  Object.assign(window, { controlled })
  const native = window.fetch
  window.fetch = (input, init) => {
    if (input !== "/monitoring" || controlled.tunnel === "answers") return native(input, init)
    return controlled.tunnel === "is unreachable"
      ? Promise.reject(new TypeError("Failed to fetch"))
      : new Promise(() => undefined)
  }
  const { request } = LockManager.prototype
  LockManager.prototype.request = function (...given: unknown[]) {
    controlled.lockRequests++
    return Reflect.apply(request, this, given)
  }
  const { count } = IDBObjectStore.prototype
  IDBObjectStore.prototype.count = function () {
    const counted = count.apply(this)
    const waitMs = controlled.countWaits.shift() ?? 0
    const late = { result: 0, onsuccess: () => undefined, onerror: null }
    counted.onsuccess = () => setTimeout(() => Object.assign(late, { result: counted.result }).onsuccess(), waitMs)
    return late as unknown as IDBRequest<number>
  }
}

async function controlledPage(path: string): Promise<Page> {
  recorded.sentry.clear()
  const page = await visit(recorded.browser, recorded.app.origin + path, async (profile) => {
    await profile.addInitScript(control)
  })
  await pageloadOf(page, recorded.sentry)
  return page
}

const controlledIn = (page: Page) => page.evaluate(() => (window as unknown as { controlled: Controlled }).controlled)

const setTunnel = (page: Page, tunnel: Controlled["tunnel"]) =>
  page.evaluate((value) => {
    ;(window as unknown as { controlled: Controlled }).controlled.tunnel = value
  }, tunnel)

const heldLocks = (page: Page) =>
  page.evaluate(async () => (await navigator.locks.query()).held?.map(({ name }) => name))

beforeEach(() => {
  recorded.sentry.answer = { status: 200 }
})

test("a page that has nothing to send later requests no lock", async () => {
  const page = await controlledPage("/static")
  await page.waitForTimeout(300)
  expect(await controlledIn(page)).toMatchObject({ lockRequests: 0 })
  await page.context().close()
})

test("a page that is left while it sends what it stored returns from the back/forward cache, and the next page sends it", async () => {
  const page = await controlledPage("/static")
  await setTunnel(page, "is unreachable")
  await page.evaluate(() => {
    for (const text of ["first", "second"]) void Promise.reject(new Error(text))
  })
  await waitFor("the errors to be stored", async () => (await storedDeliveries(page)).length >= 2)
  await setTunnel(page, "does not answer")
  await page.evaluate(() => window.dispatchEvent(new Event("online")))
  await waitFor("the page to send", async () => (await heldLocks(page))?.length === 1)

  const notRestored = await collectNotRestoredReasons(page)
  await open(page, `${recorded.app.origin}/about`)
  for (const text of ["first", "second"])
    await recorded.sentry.waitForError(text, (event) => event["exception"]?.values[0].value === text)
  await waitFor("nothing to be stored", async () => (await storedDeliveries(page)).length === 0)

  await page.goBack({ waitUntil: "commit" })
  await waitFor("the first document", async () => (await controlledIn(page)).isDocument === "/static")
  expect(notRestored).toEqual([])
  // A document that loads again starts with a tunnel that answers.
  expect(await controlledIn(page)).toMatchObject({ tunnel: "does not answer" })
  await page.context().close()
})

test("an occasion to send that came just before the receiver asked to wait sends nothing", async () => {
  const page = await controlledPage("/static")
  await setTunnel(page, "is unreachable")
  await page.evaluate(() => void Promise.reject(new Error("stored")))
  await waitFor("the error to be stored", async () => (await storedDeliveries(page)).length > 0)
  await setTunnel(page, "answers")
  recorded.sentry.answer = { status: 503, headers: { "retry-after": "600" } }
  await page.evaluate(() => {
    const { countWaits } = (window as unknown as { controlled: Controlled }).controlled
    countWaits.push(0, 1_000)
    for (let occasion = 0; occasion < 2; occasion++) window.dispatchEvent(new Event("online"))
  })
  const attempts = () => recorded.sentry.errors().length
  await waitFor("the first attempt", () => attempts() === 1)
  await page.waitForTimeout(1_500)
  expect([attempts(), (await controlledIn(page)).countWaits]).toEqual([1, []])
  await page.context().close()
})
