import { writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expectTrace, getByRoute } from "pagespan/testing"
import { type BrowserContext, devices, expect, test } from "pagespan/testing/playwright"

test("shows a page", async ({ page, request }) => {
  await test.step("open", async () => {
    await page.goto("/connect")
  })
  expect((await request.get("/health")).ok()).toBe(true)
  const { spans } = await getByRoute("/connect")
  expect(spans.map(({ name }) => name)).toContain("GET /connect")
  await expectTrace({ route: "/connect" }).toHaveNoErrors()
  await expectTrace({ route: "/connect" }).toFinishWithin("60s")
})

test("is skipped while it runs", () => test.skip())

test("shows another heading", async ({ page }) => {
  await page.goto("/connect")
  expect(await page.getByRole("heading").first().innerText()).toBe("Paid")
})

test("expects a span that does not exist", async ({ page }) => {
  await page.goto("/connect")
  await expectTrace({ route: "/connect" }, { timeout: 3_000 }).toHaveSpan("SELECT*")
})

test("opens other pages", async ({ page, browser, baseURL }) => {
  await page.route("**/api/queries*", (route) => route.fulfill({ body: "answered by the test" }))
  await page.goto("/connect")
  const answer = await page.evaluate(() => fetch("/api/queries").then((response) => response.text()))
  expect(answer).toBe("answered by the test")
  const [popup] = await Promise.all([page.waitForEvent("popup"), page.evaluate(() => void window.open("/errors"))])
  await popup.waitForLoadState()
  const other: BrowserContext = await browser.newContext({ ...devices["Desktop Chrome"], baseURL: baseURL! })
  const stranger = await other.newPage()
  await stranger.goto("/dropped")
  await other.close()
  await expectTrace({ route: "/errors" }).toHaveSpan("GET /errors")
  await expectTrace({ route: "/dropped" }).toHaveSpan("GET /dropped")
})

test("waits until a page has delivered", async ({ page }) => {
  const delivered = page.waitForResponse("**/monitoring")
  await page.goto(`${process.env["PAGES_URL"]}/static`)
  await delivered
})

test("requests from a page without a tracer", async ({ page }) => {
  await page.goto("/health")
  await page.evaluate(() => fetch("/api/filters").then((response) => response.text()))
})

test("opens a page at the IPv6 address of loopback", async ({ page }) => {
  let header: string | string[] | undefined
  const server = createServer((request, response) => {
    // Not of the icon, which the browser requests by itself.
    if (request.url === "/page") header = request.headers["traceparent"]
    response.end("a page")
  }).listen(0, "::1")
  await new Promise((resolve) => server.once("listening", resolve))
  await page.goto(`http://[::1]:${(server.address() as AddressInfo).port}/page`)
  server.close()
  expect(header).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
})

test("requests that redirect, fail and get no response", async ({ page }) => {
  // By span id, what the server answered.
  const answers: Record<string, string> = {}
  const server = createServer((request, response) => {
    const [, , spanId = ""] = String(request.headers["traceparent"]).split("-")
    const answer = (status: number, delayMs: number, headers = {}) => {
      answers[spanId] = `${request.url} ${status}`
      setTimeout(() => response.writeHead(status, headers).end(), delayMs)
    }
    const wasAsked = Object.values(answers).includes("/same 200")
    if (request.url === "/same") answer(wasAsked ? 503 : 200, wasAsked ? 0 : 300)
    else if (request.url === "/moved") answer(302, 0, { location: "/page" })
    else if (request.url === "/page") answer(200, 0, { "content-type": "text/html" })
    else if (request.url === "/closed") {
      answers[spanId] = "/closed net::ERR_EMPTY_RESPONSE"
      request.socket.destroy()
    } else response.writeHead(404).end()
  }).listen(0)
  await new Promise((resolve) => server.once("listening", resolve))
  await page.goto(`http://localhost:${(server.address() as AddressInfo).port}/moved`)
  // Without a cache, which makes the second request wait for the first.
  const same = () => fetch("/same", { cache: "no-store" }).then(({ status }) => status)
  expect(await page.evaluate(`Promise.all([(${same})(), (${same})()])`)).toContain(503)
  expect(await page.evaluate(() => fetch("/closed").catch(() => "failed"))).toBe("failed")
  server.close()
  writeFileSync("answers.json", JSON.stringify(answers))
})
