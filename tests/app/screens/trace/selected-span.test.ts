import type { Page } from "playwright-core"
import { beforeAll, describe, expect, test } from "vitest"
import { waitFor } from "#tests/support/wait-for.ts"
import { shopScreens } from "../samples/shop-screens.ts"
import { idOf, SPAN, VISIT } from "../samples/shop-trace.ts"
import { openTrace } from "../session/open-screen.ts"

/** The panel of the selected span, on the built app with a real store. */
const screens = shopScreens()
let page: Page
let url: string
beforeAll(() => {
  ;({ page, url } = screens())
})

const at = (traceId: string, search: string) => openTrace(page, `${url}/traces/${traceId}${search}`)
const rowNames = () => page.locator("[data-row] a bdi").allTextContents()
const panel = () => page.getByRole("region", { name: "Selected span" })
const copied = () => page.evaluate(() => navigator.clipboard.readText())

describe("the selected span", () => {
  test("shows the OTLP span and the Sentry event side by side, with differences", async () => {
    await at(VISIT, `?span=${idOf(VISIT, SPAN.items)}`)
    await panel().getByText("Received via OTLP and Sentry").waitFor()
    await panel().getByText("Side by side").click()
    const table = panel().getByRole("table").filter({ hasText: "Sentry span" })
    expect(await table.getByRole("row", { name: "≠ name" }).textContent()).toBe("≠ nameGET /items/{id}GET /items/[id]")
    expect(await table.getByRole("row", { name: "≠ only" }).textContent()).toBe("≠ onlyabsenthere")
    expect(await table.getByRole("row", { name: /^start/ }).getAttribute("data-same")).toBe("true")
    await panel().getByText("Raw JSON", { exact: true }).click()
    await waitFor("all raw parts", async () => (await panel().locator("pre").count()) === 3)
    const raw = async (title: string) =>
      JSON.parse((await panel().getByRole("region", { name: title, exact: true }).textContent()) ?? "")
    const nameOf = async (title: string) => (await raw(title)).resourceSpans[0].scopeSpans[0].spans[0].name
    expect(await nameOf("OTLP span")).toBe("GET /items/{id}")
    expect(await nameOf("Sentry span, as OTLP/JSON")).toBe("GET /items/[id]")
    expect(await raw("Sentry event, as sent")).toMatchObject({ event_id: "1".repeat(32), spans: 0 })
  })

  test("shows the Sentry event that contained it, if there is one", async () => {
    await at(VISIT, `?span=${idOf(VISIT, SPAN.items)}`)
    await panel().getByText("Part of the transaction event of").waitFor()
    await panel().getByText("1".repeat(32)).waitFor()
    await panel().getByText("Nothing was truncated or refused at ingest.").waitFor()
    await at(VISIT, `?span=${idOf(VISIT, SPAN.query)}`)
    await panel().getByText("Received via OTLP only").waitFor()
    expect(await panel().getByText("transaction event").count()).toBe(0)
  })

  test("scrolls in its panel, without content below the viewport", async () => {
    await page.setViewportSize({ width: 1_440, height: 600 })
    await at(VISIT, `?span=${idOf(VISIT, SPAN.items)}`)
    await panel().getByRole("heading", { name: "Delivery" }).waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBe(600)
    await page.setViewportSize({ width: 1_440, height: 900 })
  })

  test("shows its percentile among similar spans", async () => {
    await at(VISIT, `?span=${idOf(VISIT, SPAN.query)}`)
    const rank = panel().getByText("slower than")
    await rank.waitFor()
    expect(await rank.textContent()).toMatch(/^p\d+ slower than \d+ % of 6 similar spans · median /)
  })

  test("is copied as a curl command without secrets, as text with its descendants, and as a link", async () => {
    await at(VISIT, `?span=${idOf(VISIT, SPAN.fetch)}`)
    await panel().getByRole("button", { name: "Copy as curl" }).click()
    await panel().getByRole("button", { name: "Copied" }).waitFor()
    expect(await copied()).toBe(
      "curl -X 'POST' -H 'accept: application/json' 'http://api:8080/items?api_key=REMOVED&q=it%27s'",
    )
    await panel().getByRole("button", { name: "Copy as text" }).click()
    await waitFor("the text", async () => (await copied()).startsWith("Spans of one trace"))
    expect(await copied()).toContain("\n    ⟦SELECT items⟧ (⟦api⟧)")
    await panel().getByRole("button", { name: "Copy link" }).click()
    await waitFor("the link", async () => (await copied()).startsWith("http"))
    expect(new URL(await copied()).searchParams.get("span")).toBe(idOf(VISIT, SPAN.fetch))
  })

  test("links an attribute to traces with it, and searches this trace for it", async () => {
    await at(VISIT, `?span=${idOf(VISIT, SPAN.query)}`)
    const attribute = panel().getByRole("row").filter({ hasText: "db.system.name" })
    expect(await attribute.getByRole("link").getAttribute("href")).toBe("/traces?q=db.system.name%3Apostgresql")
    await attribute.getByRole("button", { name: "Search this trace" }).click()
    await page.getByText("1 found").waitFor()
    expect(await rowNames()).not.toContain("orphaned job")
  })

  test("that the trace does not contain is reported as not found, whatever the URL holds", async () => {
    for (const id of ["ffffffffffffffff", "<script>", "x".repeat(500)]) {
      await at(VISIT, `?span=${encodeURIComponent(id)}`)
      await panel().getByRole("heading", { name: "Span not found" }).waitFor()
    }
  })
})

test("no page violated the content security policy or logged an error", () => {
  expect(screens().complaints).toEqual([])
})
