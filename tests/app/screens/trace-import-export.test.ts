import { readFileSync } from "node:fs"
import type { Page } from "playwright-core"
import { beforeAll, describe, expect, test } from "vitest"
import { waitFor } from "#tests/support/wait-for.ts"
import { addressHas, LARGE, LARGE_SPANS, shopScreens } from "./samples/shop-screens.ts"
import { idOf, SLOWER_VISIT, SPAN, visit, VISIT } from "./samples/shop-trace.ts"
import { openScreen } from "./session/open-screen.ts"
import { seriousFaults } from "./session/serious-faults.ts"

/** Comparison, export and import, flame graph, accessibility, and a large trace. */
const screens = shopScreens()
let page: Page
let url: string
let now: number
beforeAll(() => {
  ;({ page, url, now } = screens())
})

const at = (traceId: string, search = "") => openScreen(page, `${url}/traces/${traceId}${search}`)

describe("a comparison with another trace of the same route", () => {
  test("begins with the typical trace, offers others, and shows what is slower by span path", async () => {
    await at(`${VISIT}/compare`)
    const typical = page.getByRole("navigation", { name: "Typical traces of this route" })
    const median = typical.getByRole("link", { name: /^Median/ })
    expect(await median.getAttribute("aria-current")).toBe("true")
    await typical.getByRole("link", { name: /^Fastest/ }).waitFor()
    await page.getByText(/other traces?, newest first$/).click()
    await page.locator(`li a[href$="with=${SLOWER_VISIT}"]`).click()
    await page.waitForURL(/with=/)
    const table = page.getByRole("table", { name: "Paths" })
    await table.waitFor()
    expect(await table.getByRole("row", { name: /^SELECT items/ }).textContent()).toMatch(
      /▼ faster.*58\.0.ms.*18\.0.ms.*−40\.0/,
    )
    expect(await table.getByRole("row", { name: /^orphaned job/ }).textContent()).toContain("= same")
  })

  test("with an unknown trace says so", async () => {
    await at(`${VISIT}/compare`, "?with=nonsense")
    await page.getByText("No span of the baseline trace is stored.").waitFor()
  })
})

describe("export and import", () => {
  const imported = "5b8efff798038103d269b633813fcabc"
  const status = () => page.getByRole("complementary", { name: "Import" })
  const choose = (name: string, text: string) =>
    page.locator('input[type="file"]').setInputFiles({ name, mimeType: "application/json", buffer: Buffer.from(text) })

  test("return every span as it was sent", async () => {
    await at(VISIT)
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Export" }).click(),
    ])
    expect(download.suggestedFilename()).toBe(`trace-${VISIT}.json`)
    const text = readFileSync(await download.path(), "utf8").replaceAll(VISIT, imported)
    await choose("trace.json", text)
    await status()
      .getByRole("heading", { name: /^Imported/ })
      .waitFor()
    expect(await status().textContent()).toContain("14 records from 1 trace imported.")
    await status().getByRole("link", { name: imported }).click()
    await page.getByRole("heading", { name: "GET /shop/[item]" }).waitFor()
    const both = await Promise.all([VISIT, imported].map(async (id) => (await fetch(`${url}/api/traces/${id}`)).text()))
    expect(both[1]?.replaceAll(imported, VISIT)).toBe(both[0])
  })

  test("accepts a JSON lines file dropped on any screen, and counts rejected records", async () => {
    await openScreen(page, `${url}/connect`)
    const other = "5b8efff798038103d269b633813fcabd"
    const lines = visit(other, now).resourceSpans.map((each) => JSON.stringify({ resourceSpans: [each] }))
    const old = visit("5b8efff798038103d269b633813fcabe", now - 30 * 86_400_000)
    const text = [...lines, JSON.stringify(old), '{"resourceMetrics":[{}]}', '{"resourceSpans":[{x}]}'].join("\n")
    await page.evaluate((content) => {
      const data = new DataTransfer()
      data.items.add(new File([content], "traces.jsonl"))
      window.dispatchEvent(new DragEvent("dragenter", { dataTransfer: data, cancelable: true }))
      window.dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }))
    }, text)
    await status()
      .getByRole("heading", { name: /^Imported/ })
      .waitFor()
    const said = await status().textContent()
    expect(said).toContain("28 records from 2 traces imported. 14 dropped as older than the retention.")
    expect(said).toContain("1 rejected: Metrics are not supported.")
    expect(said).toContain("1 rejected: Part of the file is not valid JSON.")
  })

  test("can be cancelled, and says how many records were imported", async () => {
    await page.route("**/v1/traces", async () => undefined)
    await choose("slow.json", JSON.stringify(visit("5b8efff798038103d269b633813fcabf", now)))
    await status().getByRole("button", { name: "Cancel" }).click()
    await status()
      .getByRole("heading", { name: /^Import cancelled/ })
      .waitFor()
    expect(await status().textContent()).toContain("0 records from 0 traces imported.")
    await page.unroute("**/v1/traces")
    await status().getByRole("button", { name: "Close" }).click()
  })

  test("of a file that is not OTLP says so", async () => {
    await choose("shopping.json", '{"milk": 2}')
    await status().getByText("it is not OTLP/JSON").waitFor()
  })
})

describe("in light, in dark and at 390 px, to assistive technology", () => {
  test.each([
    ["the tree with an opened span", `${VISIT}?span=${idOf(VISIT, SPAN.items)}&path=1&q=get`],
    ["the flame graph", `${VISIT}?view=flame`],
    ["the comparison", `${VISIT}/compare?with=${SLOWER_VISIT}`],
  ])("%s has no serious fault", async (_name, path) => {
    await at(path)
    expect(await seriousFaults(page)).toEqual([])
  })
})

describe("the flame graph", () => {
  test("is drawn, and selects spans by click and arrow keys", async () => {
    await at(VISIT, "?view=flame")
    const canvas = page.getByRole("img", { name: /^Flame graph/ })
    await canvas.waitFor()
    const colours = await canvas.evaluate((element: HTMLCanvasElement) => {
      const { data } = element.getContext("2d")!.getImageData(0, 0, element.width, element.height)
      return new Set(new Uint32Array(data.buffer)).size
    })
    expect(colours).toBeGreaterThan(3)
    await canvas.click({ position: { x: 300, y: 27 } })
    await addressHas(page, "span", idOf(VISIT, SPAN.page))
    await canvas.focus()
    await page.keyboard.press("ArrowDown")
    await addressHas(page, "span", idOf(VISIT, SPAN.reco))
    await page.keyboard.press("ArrowUp")
    await addressHas(page, "span", idOf(VISIT, SPAN.page))
  })
})

describe("a trace of 5,000 spans", () => {
  test("renders its first rows with the page, then all, with at most 300 in the document", async () => {
    const html = await (await fetch(`${url}/traces/${LARGE}`)).text()
    expect(html.length).toBeLessThan(200_000)
    expect(html).toContain('role="row"')
    await at(LARGE)
    const grid = page.getByRole("treegrid")
    await waitFor("all rows", async () => (await grid.evaluate((element) => element.scrollHeight)) > LARGE_SPANS * 26)
    expect(await grid.getAttribute("aria-rowcount")).toBe(String(LARGE_SPANS + 1))
    await page.locator("[data-row]").first().focus()
    await page.keyboard.press("End")
    await waitFor("the last row", async () => (await page.locator(`[data-row="${LARGE_SPANS - 1}"]`).count()) === 1)
    expect(await page.getByRole("row").count()).toBeLessThan(300)
  })

  test("opens at a span beyond the first rows", async () => {
    await at(LARGE, `?span=${idOf(LARGE, 4_321)}`)
    const selected = page.locator('[data-row][aria-selected="true"]')
    await selected.waitFor()
    expect(await selected.locator("a").getAttribute("href")).toBe(`?span=${idOf(LARGE, 4_321)}`)
    await page.getByRole("region", { name: "Selected span" }).getByText("r-4320").waitFor()
  })
})

describe("on paper", () => {
  test.each([
    ["every row of a trace", VISIT, 1],
    ["the first 2,000 rows of a large trace", LARGE, 10],
  ])("there is %s, and on the screen again only those in view", async (_what, traceId, leastPages) => {
    await at(traceId)
    await page.evaluate(() => {
      addEventListener("beforeprint", () => {
        document.body.dataset["printed"] = String(document.querySelectorAll("[data-row]").length)
      })
    })
    const rows = Number(await page.getByRole("treegrid").getAttribute("aria-rowcount")) - 1
    const pdf = await page.pdf({ scale: 0.5 })
    expect(await page.evaluate(() => document.body.dataset["printed"])).toBe(String(Math.min(rows, 2_000)))
    expect(pdf.toString("latin1").match(/\/Type \/Page\b/g)?.length).toBeGreaterThanOrEqual(leastPages)
    await waitFor("the screen", async () => (await page.locator("[data-row]").count()) < 300)
  })
})

test("no page violated the content security policy or logged an error", () => {
  expect(screens().complaints).toEqual([])
})
