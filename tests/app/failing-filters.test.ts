import type { Browser } from "playwright-core"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { type AppUnderTest, startApp } from "#tests/sdk/browser/app-under-test.ts"
import { launchChromium } from "#tests/support/chromium.ts"
import { RecordingSentry } from "#tests/support/recording-sentry.ts"
import { waitFor } from "#tests/support/wait-for.ts"

/** An app whose filters throw or reject, in its pages and on its server, except the last ones. */
let browser: Browser
let sentry: RecordingSentry
let app: AppUnderTest

beforeAll(async () => {
  browser = await launchChromium()
  sentry = await new RecordingSentry().listen()
  app = await startApp("filters", { environment: { SENTRY_DSN: sentry.dsn } })
})

afterAll(async () => {
  await app?.stop()
  await browser?.close()
  await sentry?.close()
})

beforeEach(() => sentry.clear())

const transaction = (name: string) => sentry.waitForTransaction(name, (event) => event["transaction"] === name)
const error = (message: string) =>
  sentry.waitForError(message, (event) => event["exception"].values.at(-1).value === message)

async function openPage() {
  const page = await (await browser.newContext()).newPage()
  const thrown: string[] = []
  const logged: string[] = []
  const reported: string[] = []
  page.on("pageerror", ({ message }) => thrown.push(message))
  page.on("console", (message) => logged.push(message.text()))
  page.on("request", (request) => reported.push(request.headers()["pagespan-drops"] ?? ""))
  await page.goto(app.origin, { waitUntil: "load" })
  await page.waitForFunction(() => "endSpan" in window)
  return { page, thrown, logged, reported }
}

type Handles = { endSpan(name: string): string }

test("a server continues, and sends the transaction and the error on which its filters failed", async () => {
  for (let request = 0; request < 2; request++) {
    await fetch(`${app.origin}/api/fail`)
    await Promise.all([transaction("GET /api/fail"), error("thrown in a route handler")])
    sentry.clear()
  }
  // An uncaught exception would have ended the process.
  expect((await fetch(app.origin)).status).toBe(200)
})

test("a page's own span ends without throwing, and its root and errors arrive", async () => {
  const { page, thrown } = await openPage()
  const end = (name: string) => page.evaluate((text) => (window as unknown as Handles).endSpan(text), name)
  expect(await end("of the app")).toBe("nothing")
  expect(await end("of no interest")).toBe("nothing")
  await page.evaluate(
    () =>
      void setTimeout(() => {
        throw new Error("of the page")
      }),
  )
  await page.evaluate(
    () =>
      void setTimeout(() => {
        throw new Error("of no interest")
      }),
  )
  await Promise.all([transaction("/"), transaction("of the app"), error("of the page")])
  const names = sentry.transactions().map((event) => event["transaction"])
  expect(names).not.toContain("of no interest")
  expect(sentry.errors().map((event) => event["exception"].values[0].value)).toEqual(["of the page"])
  expect(thrown.toSorted()).toEqual(["of no interest", "of the page"])
  await page.context().close()
})

test("a page counts each failure, and logs the first without the thrown value", async () => {
  const { page, logged, reported } = await openPage()
  await page.evaluate(() => (window as unknown as Handles).endSpan("of the app"))
  await transaction("of the app")
  await page.evaluate(() => window.dispatchEvent(new PageTransitionEvent("pagehide")))
  await waitFor("the count to be sent", () => reported.some((header) => /filter_failed\/internal=\d+/.test(header)))
  const lines = logged.filter((line) => line.startsWith("pagespan:"))
  expect(lines).toEqual(['pagespan: the filter "throws" failed (Error) and let the record pass'])
  expect(JSON.stringify(sentry.items("client_report"))).not.toMatch(/filter_failed|internal/)
  await page.context().close()
})
