import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { CHANGING_ROUTES } from "#tests/inspector/ingest/http/changing-routes.ts"
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

test.each(CHANGING_ROUTES)(
  "$method $path needs more than the session, whatever else a foreign server sends",
  async (route) => {
    const cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join("; ")
    const statusOf = async (headers: Record<string, string>) => {
      const init = { method: route.method, headers: { "content-type": "application/json", cookie, ...headers } }
      return (await fetch(`${app.url}${route.path}`, { ...init, body: '{"name":"theirs"}' })).status
    }
    const origin = app.url
    const value = cookie.split("=")[1] ?? ""
    const foreign = [
      {},
      { origin },
      { origin, "x-pagespan-action": value },
      { origin, "x-pagespan-action": "0".repeat(64) },
    ]
    for (const headers of foreign) expect(await statusOf(headers)).toBe(401)
    const key = await page.evaluate(() => localStorage.getItem("pagespan.action"))
    expect(await statusOf({ origin, "x-pagespan-action": key ?? "" })).not.toBe(401)
  },
)

test("one that only has the session must sign in again, and changes nothing", async () => {
  const before = await runNames()
  await page.evaluate(() => localStorage.clear())
  await startRun("after")
  await page.getByRole("alert").getByText("This session can only read. Sign in again at /sign-in").waitFor()
  expect(await runNames()).toStrictEqual(before)
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
