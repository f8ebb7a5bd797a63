import { randomUUID } from "node:crypto"
import { setTimeout } from "node:timers/promises"
import type { Browser, Page, Request } from "playwright-core"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { launchChromium } from "#tests/support/chromium.ts"
import { RunningApp } from "#tests/support/running-app.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { sendSamples } from "./samples/sample-records.ts"
import { BROKEN, SLOW, SLOW_ID, SLOW_REASON, SlowStore } from "./session/slow-store.ts"

/** Slow queries: screens show them, and the engine cancels them when the client disconnects. */

/** Less than the 30 s after which the app's client gives a statement up, so that a statement which ends earlier was cancelled. */
const PATIENCE = { timeout: 20_000 }
/** Ends a wait that hangs in a throttled browser. It promises no speed: on a busy machine a refresh took 34 s. */
const THROTTLED = { timeout: 120_000 }
/** Enough for several refreshes in a row, and less than the minute after which every screen refreshes. */
const WATCHED_MS = 30_000
/** Longer than between the two refreshes of a list that was just opened. */
const BETWEEN_REFRESHES_MS = 7_000

let store: SlowStore
let app: RunningApp
let browser: Browser
let page: Page

beforeAll(async () => {
  store = await SlowStore.start()
  app = await RunningApp.start({ CLICKHOUSE_URL: store.url })
  // Without traces a list does not query by its filter.
  await sendSamples(app.url)
  await waitFor("stored traces", () => store.hasTraces())
  browser = await launchChromium()
  page = await browser.newPage({ viewport: { width: 1_440, height: 900 } })
})
afterAll(async () => {
  await browser?.close()
  await app?.stop()
  await store?.stop()
})
beforeEach(() => waitFor("the engine to be idle", async () => (await running()) === 0))

const running = () => store.running()
const slowStatements = () => store.slowStatements

test("the list shows a slow query, and Cancel ends it in the engine", async () => {
  await page.goto(`${app.url}/traces`)
  await page.getByLabel("Live connection").getByText("Live").waitFor()
  await page.getByRole("combobox", { name: "Filter" }).fill(SLOW)
  await page.keyboard.press("Enter")
  await page.getByText(/Query running… \d+ s/).waitFor()
  await expect.poll(slowStatements, PATIENCE).toBeGreaterThan(0)
  await page.getByRole("button", { name: "Cancel" }).click()
  await page.getByRole("heading", { name: "Query cancelled" }).waitFor()
  await expect.poll(running, PATIENCE).toBe(0)
  expect(await page.getByRole("link", { name: "Retry" }).getAttribute("href")).toBe(`/traces?q=${SLOW}`)
})

test("a refresh that is due while the router is on its way to a slow list does not query that list again", async () => {
  const tab = await (await browser.newContext()).newPage()
  const isPrefetch = (request: Request) => request.headers()["next-router-prefetch"] !== undefined
  let requests = 0
  await tab.route(`**/traces?*${SLOW}*`, async (route) => {
    if (!isPrefetch(route.request())) requests += 1
    await setTimeout(BETWEEN_REFRESHES_MS)
    // A prefetch may be held for longer than the tab is open.
    await route.continue().catch(() => undefined)
  })
  const refreshed = tab.waitForResponse(
    (response) => response.url().includes("/traces?_rsc=") && !isPrefetch(response.request()),
  )
  await tab.goto(`${app.url}/traces`)
  await refreshed
  await tab.getByRole("combobox", { name: "Filter" }).fill(SLOW)
  await tab.keyboard.press("Enter")
  await tab.getByText(/Query running… \d+ s/).waitFor(PATIENCE)
  expect(requests).toBe(1)
  await tab.context().close()
})

test("a list that fails late shows the error view, with the digest and without the SQL statement", async () => {
  await page.goto(`${app.url}/traces`)
  await page.getByLabel("Live connection").getByText("Live").waitFor()
  let fail = () => {}
  store.broken = new Promise((resolve) => (fail = resolve))
  await page.getByRole("combobox", { name: "Filter" }).fill(BROKEN)
  await page.keyboard.press("Enter")
  await page.getByText(/Query running… \d+ s/).waitFor()
  fail()
  await page.getByRole("heading", { name: "Application error: a server-side exception has occurred" }).waitFor(PATIENCE)
  const shown = await page.getByRole("main").getByRole("alert").innerText()
  expect(shown).toMatch(/Digest\s+\d+/)
  expect(shown).not.toMatch(/throwIf/)
})

test.each([
  ["/errors", `/errors?q=${SLOW}`],
  ["an error", `/errors/${SLOW_ID}`],
  ["/routes", `/routes?service=${SLOW}`],
  ["a route", `/routes/${SLOW}`],
  ["/dropped", `/dropped?reason=${SLOW_REASON}`],
  ["a trace", `/traces/${SLOW_ID}`],
  ["a comparison", `/traces/${SLOW_ID}/compare`],
])("%s shows a slow query, and Cancel ends it in the engine", async (_screen, address) => {
  await page.goto(`${app.url}${address}`, { waitUntil: "commit" })
  await page.getByText(/Query running… \d+ s/).waitFor()
  await expect.poll(slowStatements, PATIENCE).toBeGreaterThan(0)
  await page.getByRole("button", { name: "Cancel" }).click()
  await page.getByRole("heading", { name: "Query cancelled" }).waitFor()
  await expect.poll(running, PATIENCE).toBe(0)
  expect(await page.getByRole("link", { name: "Retry" }).getAttribute("href")).toBe(address)
})

test("a refresh does not stream its title after the page", async () => {
  const refresh = await (await fetch(`${app.url}/errors`, { headers: { rsc: "1" } })).text()
  expect(refresh).toContain("Errors · Pagespan")
  // Next's boundary for a page that does not wait for its metadata. React shows such a page without a title, by chance.
  expect(refresh).not.toContain("Next.MetadataOutlet")
})

test("the tab gets the title of a slow screen once that is read, and keeps one through every refresh", async () => {
  await sendLateError()
  store.late = { text: await waitFor("the issue", lateIssue), waitMs: 1_000 }
  const context = await browser.newContext()
  const tab = await context.newPage()
  await tab.addInitScript(keepTitles)
  await tab.goto(`${app.url}/errors/${store.late.text}`)
  await tab.getByLabel("Live connection").getByText("Live").waitFor()
  await waitFor("the title", async () => (await titles(tab)).length === 2)
  store.late.waitMs = 100
  // The slower the browser, the longer a page that does not wait for its title is shown without one.
  await (await context.newCDPSession(tab)).send("Emulation.setCPUThrottlingRate", { rate: 20 })
  for (const events of ["2", "3", "4"]) {
    await sendLateError()
    const shown = tab
      .locator("dl > div")
      .filter({ hasText: /^Events/ })
      .locator("dd")
    await shown.filter({ hasText: events }).waitFor(THROTTLED)
  }
  await tab.getByRole("link", { name: "All errors" }).click(THROTTLED)
  await tab.getByRole("heading", { name: "Errors", exact: true }).waitFor(THROTTLED)
  expect(await titles(tab)).toEqual(["Error · Pagespan", "Late: very · Pagespan", "Errors · Pagespan"])
  await context.close()
})

test("a screen that a slow refresh replaces for a while does not refresh once more for that", async () => {
  store.late = { text: "pagespan_errors", waitMs: 1_500 }
  const tab = await (await browser.newContext()).newPage()
  let refreshes = 0
  tab.on("request", (request) => (refreshes += Number(request.url().includes("_rsc="))))
  await tab.goto(app.url)
  await tab.getByText("in the last 30 minutes").waitFor(PATIENCE)
  await waitFor("the refresh after the load", () => refreshes > 0)
  await setTimeout(WATCHED_MS)
  // One soon after the load, and one 8 s later. Each takes 1.5 s, and shows the screen again.
  expect(refreshes).toBeLessThanOrEqual(2)
  store.late = { text: "", waitMs: 0 }
  await tab.context().close()
})

test("closing the page cancels the query, also before its script has run", async () => {
  const other = await browser.newPage()
  await other.goto(`${app.url}/traces?q=${SLOW}`, { waitUntil: "commit" })
  await expect.poll(slowStatements, PATIENCE).toBeGreaterThan(0)
  await other.close()
  await expect.poll(running, PATIENCE).toBe(0)
})

test("a client that disconnects cancels its read API query", async () => {
  const hangUp = new AbortController()
  const answer = fetch(`${app.url}/api/traces?q=${SLOW}`, { signal: hangUp.signal })
  answer.catch(() => undefined)
  await expect.poll(slowStatements, PATIENCE).toBeGreaterThan(0)
  hangUp.abort()
  await expect(answer).rejects.toThrow("abort")
  await expect.poll(running, PATIENCE).toBe(0)
  expect((await fetch(`${app.url}/health`)).status).toBe(200)
})

async function sendLateError(): Promise<void> {
  const eventId = randomUUID().replaceAll("-", "")
  const event = { event_id: eventId, exception: { values: [{ type: "Late", value: "very" }] } }
  const body = [{ event_id: eventId }, { type: "event" }, event].map((line) => JSON.stringify(line)).join("\n")
  expect((await fetch(`${app.url}/api/1/envelope/`, { method: "POST", body })).status).toBe(200)
}

async function lateIssue(): Promise<string | undefined> {
  const response = await fetch(`${app.url}/api/errors?q=Late`)
  return ((await response.json()) as { issues: { issueId: string }[] }).issues[0]?.issueId
}

/** Runs in the page: every title that it has had, in order, from its first one on. */
function keepTitles(): void {
  const seen: string[] = []
  Object.assign(window, { seenTitles: seen })
  const look = () => {
    if (document.title !== seen.at(-1) && (seen.length > 0 || document.title !== "")) seen.push(document.title)
  }
  new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true })
}

function titles(tab: Page): Promise<readonly string[]> {
  return tab.evaluate(() => (window as unknown as { seenTitles: string[] }).seenTitles)
}
