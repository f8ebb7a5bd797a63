import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import type { BrowserContext as TestContext } from "@playwright/test"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { PageLeaving } from "#otel/testing/playwright-page.ts"
import { launchChromium } from "#tests/support/chromium.ts"

/** A tracer that sends when its page is left. */
const TRACER = `globalThis[Symbol.for("pagespan.page")] = {}
  addEventListener("pagehide", () => fetch("/delivery", { method: "POST", keepalive: true }))`
/** Only Pagespan reads the state of these documents. */
const WATCHED = `Object.defineProperty(document, "readyState", { get() { console.log("asked"); return "complete" } })`

let browser: Browser
let server: Server
let origin: string
let deliveries = 0

beforeAll(async () => {
  browser = await launchChromium()
  server = createServer((request, response) => {
    if (request.method === "POST") deliveries++
    response.setHeader("content-type", request.url === "/tracer.js" ? "text/javascript" : "text/html")
    if (request.url === "/tracer.js") response.end(TRACER)
    else if (request.url === "/without") response.end(`<script>${WATCHED}</script>`)
    else response.end(`<script src="/tracer.js"></script>`)
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(async () => {
  await browser.close()
  server.close()
})

beforeEach(() => {
  deliveries = 0
})

/** Opens the page in a context of its own, as each test of Playwright does. Returns what it printed. */
async function visit(leaving: PageLeaving, path: string, options: { blocked?: boolean } = {}): Promise<string[]> {
  const context = await browser.newContext()
  const printed: string[] = []
  context.on("console", (message) => printed.push(message.text()))
  if (options.blocked) await context.route("**/tracer.js", (route) => route.abort())
  const page = await context.newPage()
  await page.goto(origin + path)
  await leaving.leave(context as unknown as TestContext)
  await context.close()
  return printed
}

test("a page with the tracer delivers what it has before its context is closed", async () => {
  const leaving = new PageLeaving()
  for (let visits = 1; visits <= 3; visits++) {
    await visit(leaving, "/with")
    expect(deliveries).toBe(visits)
  }
})

test("a page at an address that had no tracer is asked at every tenth time", async () => {
  const leaving = new PageLeaving()
  const asked: string[][] = []
  for (let visits = 0; visits < 12; visits++) asked.push(await visit(leaving, "/without"))
  expect(asked.map((printed) => printed.length)).toEqual([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0])
})

test("a page that was once opened with its scripts blocked delivers as soon as a page of its origin had the tracer", async () => {
  const leaving = new PageLeaving()
  await visit(leaving, "/with", { blocked: true })
  await visit(leaving, "/other")
  expect(deliveries).toBe(1)
  await visit(leaving, "/with")
  expect(deliveries).toBe(2)
})
