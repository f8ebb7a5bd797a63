import type { Page } from "playwright-core"
import { beforeAll, describe, expect, test } from "vitest"
import { waitFor } from "#tests/support/wait-for.ts"
import { addressHas, LARGE, shopScreens } from "./samples/shop-screens.ts"
import { idOf, SPAN, VISIT } from "./samples/shop-trace.ts"
import { openTrace } from "./session/open-screen.ts"

/** The screen of one trace, on the built app with a real store. */
const screens = shopScreens()
let page: Page
let url: string
beforeAll(() => {
  ;({ page, url } = screens())
})

const at = (traceId: string, search = "") => openTrace(page, `${url}/traces/${traceId}${search}`)
const rowNames = () => page.locator("[data-row] a bdi").allTextContents()
const addressOf = () => new URL(page.url()).searchParams
const panel = () => page.getByRole("region", { name: "Selected span" })
const row = (name: string) => page.getByRole("row").filter({ has: page.getByText(name, { exact: true }) })

describe("a trace of browser and server", () => {
  test("is one tree on one time axis, with web vitals as marks instead of rows", async () => {
    await at(VISIT)
    const grid = page.getByRole("treegrid", { name: "Spans" })
    expect(await grid.getAttribute("aria-rowcount")).toBe("10")
    expect(await row("GET /reco").getAttribute("aria-level")).toBe("4")
    const vitals = page.getByRole("list", { name: "Web vitals" }).getByRole("button")
    expect((await vitals.allTextContents()).map((text) => text.replace("\u00A0", " "))).toEqual([
      "TTFB 95.2 ms ●good",
      "FCP 620 ms ●good",
      "LCP 1.45 s ●good",
      "CLS 0.310 ■poor",
      "INP 240 ms ▲needs improvement",
    ])
    await vitals.nth(2).click()
    await panel().getByRole("heading", { name: "browser.web_vital.lcp" }).waitFor()
    await addressHas(page, "span", idOf(VISIT, 22))
  })

  test("has its spans under the first key, without a Tab to them", async () => {
    await at(VISIT)
    const focused = () => page.evaluate(() => (document.activeElement as HTMLElement | null)?.dataset["row"])
    expect(await focused()).toBeUndefined()
    await page.keyboard.press("j")
    await waitFor("the first span", async () => (await focused()) === "0")
    await page.keyboard.press("ArrowDown")
    await waitFor("the second span", async () => (await focused()) === "1")
  })

  test("moves the focus with each key, also between the commit and the effects of something else that changes", async () => {
    await at(LARGE)
    const focused = () => page.evaluate(() => (document.activeElement as HTMLElement | null)?.dataset["row"])
    await page.keyboard.press("j")
    await waitFor("the first span", async () => (await focused()) === "0")
    await page.evaluate(async () => {
      const grid = document.querySelector<HTMLElement>('[role="treegrid"]')
      const rows = grid?.querySelector("[data-placed]")
      if (!grid || !rows) throw new Error("The page has no tree grid.")
      // React runs effects in a task of their own. What observes the change of rows runs before them.
      const changed = new Promise<void>((resolve) =>
        new MutationObserver(() => resolve()).observe(rows, { childList: true, subtree: true }),
      )
      grid.style.flex = "none"
      grid.style.height = "150px"
      await changed
      document.activeElement?.dispatchEvent(
        new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true, cancelable: true }),
      )
    })
    await waitFor("the second span", async () => (await focused()) === "1")
  })

  test("shows the panel of a span that is opened in a narrow window, as at a zoom of 200 %", async () => {
    await page.setViewportSize({ width: 720, height: 450 })
    await at(VISIT)
    await row("GET /api/reco").click()
    const heading = panel().getByRole("heading", { name: "GET /api/reco" })
    await heading.waitFor()
    await waitFor("the panel in view", async () => {
      const box = await heading.boundingBox()
      return box !== null && box.y >= 0 && box.y + box.height <= 450
    })
    await page.setViewportSize({ width: 1_440, height: 900 })
  })

  test("reports missing parents and clock skew, for the trace and at the span", async () => {
    await at(VISIT)
    const notices = await page.getByRole("list", { name: "Notices" }).textContent()
    expect(notices).toContain(`1 parent span missing: ${idOf(VISIT, 99)}`)
    expect(notices).toContain("1 span starts before the parent")
    expect(await row("orphaned job").textContent()).toContain("Parent missing")
    await row("GET /items/{id}").click()
    await panel().getByText("Starts 7.00\u00A0ms before its parent").waitFor()
    expect(await row("/shop/[item]").textContent()).not.toContain("Clock skew")
  })

  test("shows waterfall data of a span at once, and its details when they arrive", async () => {
    await at(VISIT)
    let answer = () => {}
    const requested = new Promise<void>((resolve) => (answer = resolve))
    const address = `**/api/traces/${VISIT}/spans/${idOf(VISIT, SPAN.reco)}`
    await page.route(address, async (route) => {
      await requested
      await route.continue()
    })
    await row("GET /api/reco").click()
    await panel().getByRole("heading", { name: "GET /api/reco" }).waitFor()
    expect(await panel().innerText()).toMatch(/Duration\s+[\d.]+\u00A0ms/)
    expect(await panel().getAttribute("aria-busy")).toBe("true")
    expect(await panel().getByText("Trace ID", { exact: true }).count()).toBe(0)
    answer()
    await panel().getByText("Trace ID", { exact: true }).waitFor()
    expect(await panel().getAttribute("aria-busy")).toBe("false")
    await page.unroute(address)
  })

  test("shows errors on the row and in the panel, with the issue", async () => {
    await at(VISIT)
    expect(await row("GET /reco").textContent()).toMatch(/Error:.*Exception:/)
    expect(await row("GET /items/{id}").textContent()).toContain("Reported error:")
    await page.keyboard.press("]")
    await page.keyboard.press("]")
    await row("GET /items/{id}").click()
    const link = panel().getByRole("link", { name: "StockError: none left" })
    expect(await link.getAttribute("href")).toMatch(/^\/errors\/[0-9a-f]{32}$/)
  })

  test("shows the critical path and the time of a span on it", async () => {
    await at(VISIT, `?path=1&span=${idOf(VISIT, SPAN.reco)}`)
    await panel().getByText("Critical path").waitFor()
    expect(await row("GET /api/reco").textContent()).toContain("on the critical path")
    expect(await row("SELECT items").textContent()).toContain("on the critical path")
    expect(await row("orphaned job").textContent()).not.toContain("on the critical path")
    expect(await page.getByRole("button", { name: /^Critical path/ }).textContent()).toMatch(
      /^Critical path: 1\.80\ss$/,
    )
    await page.keyboard.press("c")
    await addressHas(page, "path", null)
  })
})

test("the tab title is the name of the trace", async () => {
  await at(VISIT)
  await expect.poll(() => page.title()).toBe("GET /shop/[item] · Pagespan")
})

describe("a search within the trace", () => {
  test("counts results and moves through them, wrapping around", async () => {
    await at(VISIT)
    await page.keyboard.press("/")
    await page.keyboard.type("get")
    await page.getByText("5 found").waitFor()
    await addressHas(page, "q", "get")
    const active = () => page.locator('[data-row][tabindex="0"] bdi').first().textContent()
    await page.keyboard.press("Enter")
    expect(await active()).toBe("GET /api/reco")
    await page.getByLabel("Search in this trace").focus()
    await page.keyboard.press("Shift+Enter")
    expect(await active()).toBe("GET /shop/[item]")
  })

  test("by attribute hides all but results and their ancestors, and can be linked to", async () => {
    await at(VISIT, "?q=server.port%3D5432&only=1")
    await page.getByText("1 found").waitFor()
    await waitFor("the rest to be hidden", async () => (await rowNames()).length === 5)
    expect((await rowNames()).at(-1)).toBe("SELECT items")
    await page.getByLabel("Hide others").uncheck()
    await waitFor("all rows", async () => (await rowNames()).length === 9)
    await page.getByLabel("Search in this trace").fill("server.port=1")
    await page.getByText("0 found").waitFor()
  })
})

describe("zoom", () => {
  const strip = () => page.getByRole("img", { name: /^Minimap of the trace/ })
  const ticks = () => page.locator("[data-axis] text").allTextContents()

  test("is set on the minimap, is in the URL, and resets on double click", async () => {
    await at(VISIT)
    const before = await ticks()
    const box = (await strip().boundingBox())!
    await page.mouse.move(box.x + box.width * 0.25, box.y + 20)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.5, box.y + 20, { steps: 5 })
    await page.mouse.up()
    await waitFor("the zoom in the address", () => addressOf().get("zoom") !== null)
    const [from, to] = addressOf()
      .get("zoom")!
      .split("-")
      .map((text) => Number(text) / 1e6)
    expect(from).toBeCloseTo(450, -1)
    expect(to).toBeCloseTo(900, -1)
    expect(await ticks()).not.toEqual(before)
    await page.reload()
    expect(await ticks()).not.toEqual(before)
    await strip().dblclick({ position: { x: 5, y: 20 } })
    await addressHas(page, "zoom", null)
    expect(await ticks()).toEqual(before)
  })

  test("follows the wheel over the minimap, and keys", async () => {
    await at(VISIT)
    await strip().hover()
    await page.mouse.wheel(0, -300)
    await waitFor("the zoom in the address", () => addressOf().get("zoom") !== null)
    await page.keyboard.press("0")
    await addressHas(page, "zoom", null)
    await page.keyboard.press("z")
    await addressHas(page, "zoom", "450000000-1350000000")
    await page.keyboard.press("Shift+ArrowRight")
    await addressHas(page, "zoom", "675000000-1575000000")
    await page.keyboard.press("x")
    await addressHas(page, "zoom", null)
  })
})

describe("the keyboard", () => {
  test("moves, selects, collapses, finds errors, switches views and shows the shortcuts", async () => {
    await at(VISIT)
    await page.locator("[data-row]").first().focus()
    const active = () => page.evaluate(() => document.activeElement?.querySelector("bdi")?.textContent)
    for (const [key, name] of [
      ["j", "/shop/[item]"],
      ["ArrowDown", "GET /api/reco"],
      ["k", "/shop/[item]"],
      ["l", "GET /api/reco"],
      ["h", "GET /api/reco"],
      ["h", "/shop/[item]"],
      ["End", "orphaned job"],
      ["Home", "GET /shop/[item]"],
    ] as const) {
      await page.keyboard.press(key)
      await waitFor(`${key} to lead to ${name}`, async () => (await active()) === name)
    }
    await page.keyboard.press("]")
    await waitFor(
      "the first error",
      async () => (await active()) === "GET /items/{id}" || (await active()) === "GET /reco",
    )
    await page.keyboard.press("Enter")
    await waitFor("a span in the address", () => addressOf().get("span") !== null)
    await page.keyboard.press("Escape")
    await addressHas(page, "span", null)
    await page.keyboard.press("f")
    await page.getByRole("img", { name: /^Flame graph/ }).waitFor()
    await page.keyboard.press("f")
    await page.keyboard.press("?")
    const sheet = page.getByRole("dialog", { name: "Keyboard shortcuts" })
    await sheet.waitFor()
    expect(await sheet.textContent()).toContain("Toggle critical path")
    await page.keyboard.press("c")
    expect(addressOf().get("path")).toBeNull()
    await page.keyboard.press("Escape")
    await sheet.waitFor({ state: "hidden" })
  })
})

test("no page violated the content security policy or logged an error", () => {
  expect(screens().complaints).toEqual([])
})
