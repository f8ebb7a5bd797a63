import { createServer, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { Browser as TestBrowser } from "@playwright/test"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type ActiveAttempt, startAttempt } from "#otel/testing/active-attempt.ts"
import { BrowserTracing } from "#otel/testing/playwright-browser.ts"
import { TUNNEL_HEADER } from "#otel/protocol/transport/tunnel-header.ts"
import { launchChromium } from "#tests/support/chromium.ts"
import { waitFor } from "#tests/support/wait-for.ts"

const tracing = new BrowserTracing()
/** Requests that the server leaves without a response. */
const waiting: ServerResponse[] = []
let isTunnelSlow = false
let browser: Browser
let server: Server
let origin: string

beforeAll(async () => {
  browser = await launchChromium()
  server = createServer((request, response) => {
    if (request.url === "/waits" || (request.url === "/tunnel" && isTunnelSlow)) waiting.push(response)
    else if (request.url === "/breaks") request.socket.destroy()
    else if (request.url === "/tunnel") response.setHeader(TUNNEL_HEADER, "1").end()
    else response.setHeader("content-type", "text/html").end("<p>a page</p>")
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await tracing.setBrowser(browser as unknown as TestBrowser)
})

afterAll(async () => {
  await browser.close()
  server.closeAllConnections()
  server.close()
})

/** Runs as a test of Playwright, with a page of its own that is closed at the end. Returns what was recorded. */
async function record(run: (page: Page) => Promise<void>): Promise<ActiveAttempt["steps"]> {
  const attempt = startAttempt({ traceId: "a".repeat(32), spanId: "b".repeat(16) }, () => 0)
  await tracing.setTest({ attempt, origins: new Set(), baseUrl: origin })
  const page = await browser.newPage()
  await page.goto(origin)
  await run(page)
  await page.close()
  await waitFor("the end of all requests", () => attempt.steps.every(({ endMs }) => endMs !== undefined))
  await tracing.setTest(undefined)
  return attempt.steps
}

/** Leaves the page once the server has its request, which aborts it. */
async function leaveWhileSending(page: Page, path: string): Promise<void> {
  const before = waiting.length
  await page.evaluate((address) => void fetch(address, { method: "POST" }).catch(() => undefined), path)
  await waitFor("the request", () => waiting.length > before)
  await page.goto(`${origin}/next`)
}

test("a request that is aborted as its page is left is no error of the test", async () => {
  const steps = await record((page) => leaveWhileSending(page, "/waits"))
  const request = steps.find(({ name }) => name === "POST /waits")
  expect(request?.attributes).toMatchObject({ "error.type": "AbortError" })
  expect(request?.error).toBeUndefined()
})

test("a request whose connection breaks is an error, which names the request", async () => {
  const steps = await record((page) => page.evaluate(() => fetch("/breaks").then(undefined, () => undefined)))
  const error = { name: "net::ERR_EMPTY_RESPONSE", message: "GET /breaks got no response" }
  expect(steps.find(({ name }) => name === "GET /breaks")?.error).toEqual(error)
})

test("a delivery of the page's tracer is no request of the test, also in a later test that aborts it", async () => {
  const deliver = (page: Page) => page.evaluate(() => fetch("/tunnel", { method: "POST" }).then(() => undefined))
  expect((await record(deliver)).map(({ name }) => name)).toEqual(["GET /"])
  isTunnelSlow = true
  const steps = await record((page) => leaveWhileSending(page, "/tunnel"))
  expect(steps.map(({ name }) => name)).toEqual(["GET /", "GET /next"])
})
