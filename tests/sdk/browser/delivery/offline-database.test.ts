import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { waitFor } from "#tests/support/wait-for.ts"
import { type RecordedApp, startRecordedApp } from "../recorded-app.ts"
import { open, pageloadOf } from "../visit.ts"
import { storedDeliveries } from "./stored-in-page.ts"

let recorded: RecordedApp

beforeAll(async () => {
  recorded = await startRecordedApp("routes")
})
afterAll(() => recorded?.stop())

interface Noted {
  readonly opened: IDBDatabase[]
  closed: number
  isOffline: boolean
}

/** Counts the connections that the page opens and closes, and can disconnect its network. */
function noteConnections(): void {
  const noted: Noted = { opened: [], closed: 0, isOffline: false }
  const { open } = IDBFactory.prototype
  const { close } = IDBDatabase.prototype
  const native = window.fetch
  Object.assign(window, { noted })
  // All requests of one turn of the event loop fail in that turn.
  window.fetch = (input, init) =>
    input === "/monitoring" && noted.isOffline ? Promise.reject(new TypeError("Failed to fetch")) : native(input, init)
  IDBFactory.prototype.open = function (...given) {
    const request = open.apply(this, given)
    request.addEventListener("success", () => noted.opened.push(request.result))
    return request
  }
  IDBDatabase.prototype.close = function () {
    if (noted.opened.includes(this)) noted.closed++
    close.apply(this)
  }
}

const connections = (page: Page) =>
  page.evaluate(() => {
    const { opened, closed } = (window as unknown as { noted: Noted }).noted
    return { opened: opened.length, closed }
  })

/** The number of stored errors, read through another connection. */
async function storedErrors(page: Page): Promise<number> {
  const beside = await page.context().newPage()
  await beside.goto(`${recorded.app.origin}/icon.svg`)
  const all = await storedDeliveries(beside)
  await beside.close()
  return all.filter(({ body }) => typeof body === "string" && body.includes('"type":"event"')).length
}

/** A page that is offline and stores several errors concurrently. */
async function keepingPage(): Promise<Page> {
  const context = await recorded.browser.newContext()
  await context.addInitScript(noteConnections)
  const page = await context.newPage()
  recorded.sentry.clear()
  await open(page, `${recorded.app.origin}/static`)
  await pageloadOf(page, recorded.sentry)
  // When the page is idle, it looks for stored deliveries and closes the connection.
  await waitFor("the first look", async () => {
    const { opened, closed } = await connections(page)
    return opened > 0 && opened === closed
  })
  await page.evaluate(() => {
    // No `offline` event: requests fail, and the browser still reports a network.
    ;(window as unknown as { noted: Noted }).noted.isOffline = true
    for (let index = 0; index < 5; index++) void Promise.reject(new Error(`at once ${index}`))
  })
  await waitFor("the errors to be stored", async () => (await storedErrors(page)) === 5)
  return page
}

test("concurrent writes share one connection", async () => {
  const page = await keepingPage()
  expect(await connections(page)).toEqual({ opened: 2, closed: 1 })
  await page.context().close()
})

test("a page that may return from the back/forward cache closes its connection, and stores later deliveries", async () => {
  const page = await keepingPage()
  await page.evaluate(() => window.dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true })))
  await waitFor("no open connection", async () => {
    const { opened, closed } = await connections(page)
    return opened === closed
  })
  await page.evaluate(() => {
    window.dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))
    void Promise.reject(new Error("after"))
  })
  await waitFor("one more to be stored", async () => (await storedErrors(page)) === 6)
  await page.context().close()
})

test("a page that is left without a network keeps what it has stored", async () => {
  const page = await keepingPage()
  // It has spans of the errors to send, whose delivery counts as accepted.
  await page.evaluate(() => window.dispatchEvent(new PageTransitionEvent("pagehide")))
  await page.waitForTimeout(500)
  expect(await storedErrors(page)).toBe(5)
  await page.context().close()
})

test("withdrawal of consent is not blocked by a connection of this page", async () => {
  const page = await keepingPage()
  const outcome = await page.evaluate(async () => {
    const { deleteDatabase } = IDBFactory.prototype
    const events: string[] = []
    const deleted = new Promise<void>((resolve) => {
      IDBFactory.prototype.deleteDatabase = function (name) {
        const request = deleteDatabase.call(this, name)
        request.addEventListener("blocked", () => events.push("blocked"))
        request.addEventListener("success", () => {
          events.push("success")
          resolve()
        })
        return request
      }
    })
    // A write to the database is in flight.
    void Promise.reject(new Error("on its way"))
    await new Promise((resolve) => setTimeout(resolve, 0))
    ;(window as unknown as { pagespan: { withdrawConsent(): void } }).pagespan.withdrawConsent()
    await Promise.race([deleted, new Promise((resolve) => setTimeout(resolve, 2_000))])
    return events
  })
  expect(outcome).toEqual(["success"])
  await page.waitForTimeout(300)
  const left = await page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name))
  expect(left).toEqual([])
  await page.context().close()
})
