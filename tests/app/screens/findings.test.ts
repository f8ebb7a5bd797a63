import type { Page } from "playwright-core"
import { beforeAll, describe, expect, test } from "vitest"
import { waitFor } from "#tests/support/wait-for.ts"
import { LOOP, loopTrace, QUERIES, QUIET, quietTrace } from "./samples/loop-trace.ts"
import { addressHas, shopScreens } from "./samples/shop-screens.ts"
import { idOf, SPAN, VISIT } from "./samples/shop-trace.ts"
import { openScreen, openTrace } from "./session/open-screen.ts"

/** What stands out in a trace, on the built app with a real store. */
const screens = shopScreens()
let page: Page
let url: string
beforeAll(async () => {
  ;({ page, url } = screens())
  for (const trace of [loopTrace(screens().now), quietTrace(screens().now)]) {
    const headers = { "content-type": "application/json" }
    await fetch(`${url}/v1/traces`, { method: "POST", headers, body: JSON.stringify(trace) })
  }
  await waitFor("the loop", async () => (await findings()).length > 0)
  await waitFor("the quiet trace", async () => (await fetch(`${url}/api/traces/${QUIET}`)).ok)
})

interface FindingJson {
  readonly kind: string
  readonly title: string
  readonly spanIds: readonly string[]
  readonly count: number
  readonly durationNano: string
  readonly parentSpanId: string | null
}

async function findings(): Promise<readonly FindingJson[]> {
  const response = await fetch(`${url}/api/traces/${LOOP}/findings`)
  return response.ok ? ((await response.json()) as { findings: FindingJson[] }).findings : []
}

const at = (search = "") => openTrace(page, `${url}/traces/${LOOP}${search}`)
const strip = () => page.getByRole("region", { name: "Findings" })
const finding = (title: string) => strip().getByRole("button").filter({ hasText: title })
const rows = () => page.locator("[data-row]")
const row = (name: string) => page.getByRole("row").filter({ has: page.getByText(name, { exact: true }) })
const rowCount = async () => Number(await page.getByRole("treegrid").getAttribute("aria-rowcount")) - 1
const panel = () => page.getByRole("region", { name: "Selected span" })

test("the read API has the findings of a trace, and 404 for one that is not stored", async () => {
  const found = await findings()
  expect(found.map(({ kind, title, count }) => ({ kind, title, count }))).toEqual([
    { kind: "repeated_siblings", title: "200 × SELECT shop.prices", count: QUERIES },
    { kind: "retried_call", title: "2 failed attempts of POST payment", count: 3 },
    { kind: "largest_self_time", title: expect.stringContaining("Largest self time: "), count: 1 },
    { kind: "late_vitals", title: "LCP after the last span", count: 1 },
  ])
  expect(found[0]).toMatchObject({ durationNano: "610000000", parentSpanId: "1000000000000003" })
  expect(found[0]!.spanIds).toHaveLength(QUERIES)
  expect((await fetch(`${url}/api/traces/${"1".repeat(32)}/findings`)).status).toBe(404)
  expect((await fetch(`${url}/api/traces/nonsense/findings`)).status).toBe(400)
})

describe("the screen of a trace with a loop", () => {
  test("says which query is N + 1, and shows it with one click", async () => {
    await at()
    expect(await finding("SELECT shop.prices").textContent()).toBe("200 × SELECT shop.prices610\u00A0msunder priceCart")
    await finding("SELECT shop.prices").click()
    await page.getByText(/200 found · 61\d\u00A0ms · \d+(?:\.\d)?\u00A0%/).waitFor()
    await page.waitForFunction(() => document.title === "GET /checkout · Pagespan")
    expect(await finding("SELECT shop.prices").getAttribute("aria-pressed")).toBe("true")
    expect(await page.evaluate(() => document.activeElement?.getAttribute("data-found"))).toBe("true")
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain("SELECT shop.prices")
    await addressHas(page, "finding", "repeated_siblings-1000000000000064")
    await page.reload()
    await page.getByText("200 found").waitFor()
    await finding("SELECT shop.prices").click()
    await addressHas(page, "finding", null)
  })

  test("scrolls to the spans of a finding in a low window, as at a zoom of 200 %", async () => {
    await page.setViewportSize({ width: 720, height: 450 })
    await at()
    await finding("SELECT shop.prices").click()
    await page.getByText("200 found").waitFor()
    await waitFor("the row in view", async () => {
      const box = await page.locator("[data-row]:focus").boundingBox()
      return box !== null && box.y >= 0 && box.y + box.height <= 450
    })
    await page.setViewportSize({ width: 1_440, height: 900 })
  })

  test("has one row for the 200 queries, which opens and closes by keyboard and pointer", async () => {
    await at()
    expect(await rowCount()).toBe(8)
    const folded = row("SELECT shop.prices")
    expect(await folded.getAttribute("aria-expanded")).toBe("false")
    expect(await folded.textContent()).toMatch(/×200 equal spans, folded: .*610\u00A0ms together/)
    await folded.click()
    await panel().getByRole("heading", { name: "SELECT shop.prices" }).waitFor()
    await page.keyboard.press("ArrowRight")
    await waitFor("all rows", async () => (await rowCount()) === 7 + QUERIES)
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("ArrowUp")
    await page.keyboard.press("ArrowLeft")
    await waitFor("one row", async () => (await rowCount()) === 8)
    await page.getByTitle("Equal siblings. Click to unfold them").click()
    await waitFor("all rows", async () => (await rowCount()) === 7 + QUERIES)
    expect(await rows().count()).toBeLessThan(100)
  })

  test("opens the fold that hides a search result, and expands its ancestors", async () => {
    await at()
    await page.getByRole("button", { name: "Collapse all" }).click()
    await waitFor("the top row alone", async () => (await rowCount()) === 1)
    await page.getByRole("searchbox", { name: "Search in this trace" }).fill("db.query.text=*special*")
    await page.getByText("1 found").waitFor()
    await waitFor("all rows of the fold", async () => (await rowCount()) > QUERIES)
    await page.keyboard.press("Escape")
    await page.keyboard.press("Escape")
    await at("?span=1000000000000070")
    await waitFor("the selected span", async () => (await page.getByRole("row", { selected: true }).count()) === 1)
    expect(await page.getByRole("row", { selected: true }).textContent()).toContain("SELECT shop.prices")
  })

  test("lasts as long as its spans, and has marks at the value of each web vital", async () => {
    await at()
    const facts = page.getByRole("list", { name: "About this trace" })
    expect(await facts.textContent()).toMatch(/^991\u00A0ms/)
    const labels = page.locator("[data-axis] + div text")
    await waitFor("the labels", async () => (await labels.count()) === 2)
    const axis = (await page.locator("[data-axis]").boundingBox())!
    const share = async (name: string) =>
      ((await labels.filter({ hasText: name }).boundingBox())!.x - axis.x) / axis.width
    expect(await share("TTFB")).toBeGreaterThan(0.75)
    expect(await share("FCP")).toBeGreaterThan(0.85)
    const services = await page.getByRole("list", { name: "Services" }).getByRole("listitem").allTextContents()
    expect(services.map((text) => Number(/\d+$/.exec(text)))).toEqual([206, 4])
  })

  test("goes from the page into the server and the loop on its critical path", async () => {
    await at("?path=1")
    expect(await row("SELECT shop.prices").textContent()).toContain("on the critical path")
    expect(await row("render").textContent()).toContain("on the critical path")
    expect(await page.getByRole("button", { name: /^Critical path/ }).textContent()).toBe("Critical path: 991\u00A0ms")
  })

  test("copies the loop as a few lines of text", async () => {
    await at("?span=1000000000000001")
    await panel().getByRole("button", { name: "Copy as text" }).click()
    const copied = () => page.evaluate(() => navigator.clipboard.readText())
    await waitFor("the text", async () => (await copied()).startsWith("Spans of one trace"))
    expect(await copied()).toContain("200 × ⟦SELECT shop.prices⟧ (⟦shop⟧)")
    expect((await copied()).length).toBeLessThan(2_500)
  })

  test("is one bar in the flame graph", async () => {
    await at("?view=flame")
    const graph = page.getByRole("img", { name: /^Flame graph/ })
    // The server, the page, which began first, its sibling, and below that the loop.
    for (const key of ["ArrowDown", "ArrowDown", "ArrowRight", "ArrowDown"]) await graph.press(key)
    await waitFor("the status", async () => (await page.getByText(/^200 × SELECT shop\.prices · shop/).count()) === 1)
  })
})

test("a trace in which nothing stands out has no strip, and none of these screens complained", async () => {
  await openScreen(page, `${url}/traces/${QUIET}`)
  await row("GET /checkout").waitFor()
  expect(await strip().count()).toBe(0)
  expect(screens().complaints).toEqual([])
})

describe("what is pasted into the palette leads somewhere", () => {
  const pasted = async (text: string) => {
    await openScreen(page, `${url}/connect`)
    await page.keyboard.press("Control+k")
    await page.getByRole("combobox", { name: "Go to" }).fill(text)
  }

  test.each([
    ["the id of a Sentry event", "2".repeat(32), "Open error or event", /\/errors\/[0-9a-f]{32}\?event=2{32}$/],
    ["the id of a transaction's event", "1".repeat(32), "Open error or event", new RegExp(`/traces/${VISIT}\\?span=`)],
    ["a span id", idOf(VISIT, SPAN.query), "Find span", /\/traces\?q=span/],
    [
      "an address",
      `https://else.example/traces/${LOOP}?path=1`,
      "Open /traces",
      new RegExp(`/traces/${LOOP}\\?path=1$`),
    ],
  ])("%s", async (_what, text, option, address) => {
    await pasted(text)
    await page.getByRole("option", { name: option }).click()
    await page.waitForURL(address)
  })

  test("a name, by Enter", async () => {
    await pasted("SELECT shop.prices")
    await page.getByRole("option", { name: "Find traces with “SELECT shop.prices”" }).waitFor()
    await page.keyboard.press("Enter")
    await page.waitForURL(/\/traces\?q=/)
    await page.getByRole("link", { name: "GET /checkout" }).first().waitFor()
  })

  test("a filter with a misspelled field, which is said", async () => {
    await openScreen(page, `${url}/traces?q=servic:x`)
    const notices = page.getByRole("list", { name: "Notices" })
    expect(await notices.textContent()).toContain("servic is read as an attribute. Did you mean service?")
  })
})
