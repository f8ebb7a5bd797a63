import { beforeAll, describe, expect, test } from "vitest"
import { waitFor } from "#tests/support/wait-for.ts"
import { hexId } from "./samples/hex-id.ts"
import { ScreenSession } from "./session/screen-session.ts"

/** `/services`, `/services/[name]` and `/sessions/[id]` by the steps of their tasks, in Chromium with the real store. */
const session = ScreenSession.ofFile()
beforeAll(() => session.sendSamples())

const cells = async (row: ReturnType<ScreenSession["rows"]>) =>
  (await row.getByRole("cell").allInnerTexts()).map((text) => text.replaceAll("\u00a0", " ").trim())

describe("which service is slow or fails, and who calls it", () => {
  test("is on one screen from the top bar, with a rate, errors, percentiles, callers and callees", async () => {
    await session.open("/")
    await session.page.getByRole("navigation", { name: "Screens" }).getByRole("link", { name: "Services" }).click()
    const shop = session
      .rows("Services by their entries")
      .filter({ has: session.page.getByRole("rowheader", { name: "shop", exact: true }) })
    await shop.waitFor()
    const [, rate, errors, p50, p95, incomplete, callers, callees] = await cells(shop)
    expect(rate).toMatch(/^\d[\d.]*\/(?:min|h)$/)
    expect(errors).toMatch(/^5\.83 %$/)
    expect([p50, p95].join()).toMatch(/^\d+ ms,\d+ ms$/)
    expect([incomplete, callers, callees]).toEqual(["0 %", "shop-browser", "–"])
    await shop.getByRole("img", { name: "120 entries over time" }).waitFor({ state: "attached" })
  })

  test("is drawn as a map whose services are links that the keyboard reaches, with the filter and the window carried", async () => {
    await session.open("/services?since=6h&q=status%3Aerror")
    const map = session.page.getByRole("region", { name: "Service map" })
    await map.getByRole("link", { name: /^shop-browser.*calls shop$/ }).waitFor()
    expect(await map.locator("path > title").allTextContents()).toEqual([
      expect.stringMatching(/^shop-browser → shop: 7×, 100\s% failed/),
    ])
    await map.getByRole("link", { name: /^shop(?!-)/ }).focus()
    await session.page.keyboard.press("Enter")
    await session.page.getByRole("heading", { name: "shop", exact: true }).waitFor()
    expect(new URL(session.page.url()).pathname).toBe("/services/shop")
    expect(Object.fromEntries(session.parameters)).toEqual({ since: "6h", q: "status:error" })
  })

  test("leads from a service to its callers, its routes and the traces of an operation in the same window", async () => {
    await session.open("/services/shop?since=6h")
    expect(await cells(session.rows("Called by").nth(1))).toEqual(["120", "5.83 %", expect.stringMatching(/ms$/)])
    expect(await session.page.getByRole("region", { name: "Routes" }).getByRole("listitem").count()).toBe(4)
    const failed = session.rows("Latest failed").nth(1).getByRole("link")
    expect(await failed.getAttribute("href")).toMatch(/^\/traces\/[0-9a-f]{32}\?span=[0-9a-f]{16}$/)
    await session.rows("Operations").getByRole("link", { name: "GET /checkout" }).click()
    await session.page.waitForURL(/\/traces\?/)
    expect(Object.fromEntries(session.parameters)).toEqual({
      q: '{service:shop name="GET /checkout"}',
      since: "6h",
    })
    await session.page.getByRole("row").filter({ hasText: "/checkout" }).first().waitFor()
  })

  test("leads from the share of incomplete traces to one of them, at the span whose parent is missing", async () => {
    const end = BigInt(Date.now() - 60_000) * 1_000_000n
    const span = { traceId: hexId("cut", 32), spanId: hexId("cut span", 16), parentSpanId: hexId("lost", 16) }
    const times = { startTimeUnixNano: String(end - 9_000_000n), endTimeUnixNano: String(end) }
    const resource = { attributes: [{ key: "service.name", value: { stringValue: "cut-off" } }] }
    const response = await fetch(`${session.app.url}/v1/traces`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        resourceSpans: [{ resource, scopeSpans: [{ spans: [{ ...span, ...times, name: "reserve", kind: 2 }] }] }],
      }),
    })
    expect(response.status).toBe(200)
    await waitFor("the span", async () => (await fetch(`${session.app.url}/api/services/cut-off`)).ok)
    await session.open("/services?since=6h")
    await session.page.getByRole("rowheader", { name: "cut-off" }).getByRole("link").click()
    await session.page.getByText("100 % of 1 trace").waitFor()
    await session.rows("Latest incomplete").getByRole("link", { name: "reserve" }).click()
    await session.page.waitForURL(new RegExp(`/traces/${span.traceId}\\?span=${span.spanId}`))
    await session.page.getByText("1 parent span missing").waitFor()
    await session.page.goBack()
    await session.page.getByRole("link", { name: "View all incomplete traces" }).click()
    await session.page.waitForURL(/\/traces\?/)
    expect(Object.fromEntries(session.parameters)).toEqual({ q: "(missing:parent) service:cut-off", since: "6h" })
    await session.page.getByRole("row").filter({ hasText: "reserve" }).waitFor()
    // The facet counts such traces, and a click excludes them.
    const facet = session.page.getByRole("region", { name: "Missing" })
    // It is read after the list.
    await expect
      .poll(() => facet.getByRole("listitem").allInnerTexts())
      .toEqual([expect.stringMatching(/root\s+1/), expect.stringMatching(/parent\s+1/)])
    await facet.getByRole("link", { name: "Exclude parent" }).click()
    await session.page.getByText("No trace matches").waitFor()
  })

  test("says so where the filter is invalid or matches nothing, and for a service that nothing has", async () => {
    await session.open("/services?q=duration%3E")
    await session.page.getByRole("alert").first().waitFor()
    expect(await session.page.getByRole("table").count()).toBe(0)
    await session.open("/services?q=service:none")
    await session.page.getByText("No service matches in this time range").waitFor()
    await session.open("/services/none%2Fwhere")
    await session.page.getByRole("heading", { name: "none/where" }).waitFor()
    await session.page.getByText("No data for this service in this time range").waitFor()
  })
})

describe("what a visitor did", () => {
  const views = () => session.page.getByRole("list", { name: "Views and errors by time" }).locator("> li")

  test("is one click from a span of a page or of its server, in order, with vitals, errors and pauses", async () => {
    for (const span of ["visit 3 root", "visit 3 request"]) {
      await session.open(`/traces/${hexId("visit 3", 32)}?span=${hexId(span, 16)}`)
      await session.page.getByRole("link", { name: "s3", exact: true }).click()
      await session.page.waitForURL(/\/sessions\/s3$/)
    }
    // 13 of the 120 visits, the oldest first.
    await waitFor("the views", async () => (await views().count()) === 13)
    const last = (await views().last().innerText()).replaceAll("\u00a0", " ")
    expect(last).toMatch(/4 m \d+ s without activity/)
    expect(last).toMatch(/page load[^]*\/checkout[^]*LCP[^]*TypeError: Cannot read/)
    await views().last().getByRole("link", { name: "/checkout" }).click()
    await session.page.waitForURL(new RegExp(`/traces/${hexId("visit 3", 32)}\\?span=`))
  })

  test("is one click from an error", async () => {
    await session.open("/errors/ISSUE")
    await session.page.getByRole("navigation", { name: "Events" }).getByRole("link", { name: "Session" }).click()
    await session.page.waitForURL(/\/sessions\/s3$/)
    await views().first().waitFor()
    expect(session.complaints).toEqual([])
  })

  test("is unknown for an id that nothing has", async () => {
    await session.open("/sessions/none")
    await session.page.getByRole("heading", { name: "No session has this id" }).waitFor()
  })
})

test("at 390 px the top bar shows the name of the screen that is open", async () => {
  await session.page.setViewportSize({ width: 390, height: 800 })
  for (const name of ["Connect", "Overview", "Dropped"]) {
    await session.open(name === "Overview" ? "/" : `/${name.toLowerCase()}`)
    const bar = session.page.getByRole("navigation", { name: "Screens" })
    const isWhole = () =>
      bar.evaluate((nav) => {
        const [outer, inner] = [nav, nav.querySelector("[aria-current]")].map((each) => each?.getBoundingClientRect())
        return outer && inner && inner.left >= outer.left && inner.right <= outer.right + 1
      })
    await waitFor(`the link of ${name}`, isWhole)
  }
  await session.page.setViewportSize({ width: 1_440, height: 900 })
})
