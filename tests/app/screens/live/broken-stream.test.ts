import type { Browser } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { launchChromium } from "#tests/support/chromium.ts"
import { RunningApp } from "#tests/support/running-app.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { openScreen } from "../session/open-screen.ts"
import { sendSamples } from "../samples/sample-records.ts"
import { SlowStore } from "../session/slow-store.ts"

/** A screen whose stream breaks before all of it has arrived, because the inspector ends, in Chromium with the real store. */

let store: SlowStore
let browser: Browser
beforeAll(async () => {
  store = await SlowStore.start()
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await store?.stop()
})

/** Of the statement that reads the releases, which are the marks of a chart. */
const RELEASES = "release != ''"

test("a chart that still waits for its marks leaves no rejection without a handler", async () => {
  const app = await RunningApp.start({ CLICKHOUSE_URL: store.url })
  await sendSamples(app.url)
  await waitFor("stored traces", () => store.hasTraces())
  const page = await browser.newPage()
  await openScreen(page, `${app.url}/connect`)
  const rejections: string[] = []
  page.on("pageerror", ({ message }) => rejections.push(message))
  store.late = { text: RELEASES, waitMs: 20_000 }
  await page.getByRole("navigation").getByRole("link", { name: "Traces" }).click()
  await page.getByText("Traces over time").first().waitFor({ state: "attached" })
  const failed = page.waitForEvent("requestfailed", (request) => request.url().includes("_rsc"))
  await app.stop("SIGKILL")
  await failed
  // The browser reports a rejection without a handler in a task of its own.
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)))
  expect(rejections).toEqual([])
  await page.context().close()
})
