import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { launchChromium } from "#tests/support/chromium.ts"
import { RunningApp } from "#tests/support/running-app.ts"
import { waitFor } from "#tests/support/wait-for.ts"

const TOKEN = "correcthorsebatterystaple"

let app: RunningApp
let browser: Browser
let page: Page

beforeAll(async () => {
  app = await RunningApp.start({ PAGESPAN_TOKEN: TOKEN, PAGESPAN_SELF: "off" })
  browser = await launchChromium()
  page = await browser.newPage()
  await page.goto(`${app.url}/runs`)
  await page.fill("#token", TOKEN)
  await page.click("button")
  await page.waitForURL(`${app.url}/runs`)
})

afterAll(async () => {
  await browser?.close()
  await app?.stop()
})

async function runNames(): Promise<string[]> {
  const answer = await fetch(`${app.url}/api/runs`, { headers: { authorization: `Bearer ${TOKEN}` } })
  return ((await answer.json()) as { runs: { name: string }[] }).runs.map(({ name }) => name)
}

async function startRun(name: string): Promise<void> {
  await page.getByLabel("Name").fill(name)
  await page.getByRole("button", { name: "Start run" }).click()
}

test("a browser that signed in creates and removes runs, and imports a file", async () => {
  await startRun("before")
  await waitFor("the run", async () => (await runNames()).includes("before"))
  await page.getByRole("button", { name: "Remove before" }).click()
  await waitFor("its end", async () => (await runNames()).length === 0)
  const status = await page.evaluate(async () => {
    const headers = {
      "content-type": "application/json",
      "x-pagespan-action": localStorage.getItem("pagespan.action")!,
    }
    return (await fetch("/v1/traces", { method: "POST", headers, body: '{"resourceSpans":[]}' })).status
  })
  expect(status).toBe(200)
})

test("one that only has the session must sign in again, and changes nothing", async () => {
  await page.evaluate(() => localStorage.clear())
  await startRun("after")
  await page.getByRole("alert").getByText("This session can only read. Sign in again at /sign-in").waitFor()
  expect(await runNames()).toStrictEqual([])
  const refused = await page.evaluate(async () => {
    const body = JSON.stringify({ name: "mine", screen: "traces" })
    return [
      (await fetch("/api/filters", { method: "POST", body })).status,
      (await fetch("/api/filters/0000000000000000", { method: "DELETE" })).status,
      (await fetch("/api/filters")).status,
    ]
  })
  expect(refused).toEqual([401, 401, 200])
})
