import type { Browser } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { launchChromium } from "#tests/support/chromium.ts"
import { RunningApp } from "#tests/support/running-app.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { visit, VISIT } from "../samples/shop-trace.ts"
import { openTrace } from "../session/open-screen.ts"
import { SlowStore } from "../session/slow-store.ts"

/** A screen whose refresh is slow, in Chromium with the real store. */

let store: SlowStore
let app: RunningApp
let browser: Browser
beforeAll(async () => {
  store = await SlowStore.start()
  app = await RunningApp.start({ CLICKHOUSE_URL: store.url })
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await app?.stop()
  await store?.stop()
})

async function send(body: object): Promise<void> {
  const headers = { "content-type": "application/json" }
  const response = await fetch(`${app.url}/v1/traces`, { method: "POST", headers, body: JSON.stringify(body) })
  expect(response.status).toBe(200)
}

test("a trace keeps what is collapsed through a refresh whose query is slow", async () => {
  const { resourceSpans } = visit(VISIT, Date.now() - 60_000)
  const [web, ...others] = resourceSpans
  await send({ resourceSpans: others })
  await waitFor("the trace", async () => (await fetch(`${app.url}/api/traces/${VISIT}`)).ok)
  const page = await browser.newPage({ viewport: { width: 1_440, height: 900 } })
  await openTrace(page, `${app.url}/traces/${VISIT}`)
  await page.locator('[data-row][aria-expanded="true"] [data-toggle]').first().click()
  const collapsed = page.locator('[data-row][aria-expanded="false"]')
  await collapsed.waitFor()
  const name = await collapsed.locator("bdi").first().innerText()
  // Longer than a page waits for its query before it streams.
  store.late = { text: VISIT, waitMs: 1_000 }
  await send({ resourceSpans: [web] })
  await page.getByRole("button", { name: "Show", exact: true }).click()
  await page.getByRole("list", { name: "Services" }).getByText("web").waitFor()
  expect(await collapsed.locator("bdi").first().innerText()).toBe(name)
  await page.context().close()
})
