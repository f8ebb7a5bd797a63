import { setTimeout as sleep } from "node:timers/promises"
import type { Page, Request } from "playwright-core"
import { beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { LANE_HEIGHT } from "#app/traces/[traceId]/_canvas/draw-flame.ts"
import { SETTLED_MS } from "#app/traces/[traceId]/_state/use-address.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { addressHas, LARGE, LARGE_SPANS, shopScreens } from "../samples/shop-screens.ts"
import { idOf, SPAN, VISIT } from "../samples/shop-trace.ts"
import { openTrace } from "../session/open-screen.ts"

/** What a refresh of the screen of a trace keeps, and what it requests again, on the built app with a real store. */
const screens = shopScreens()
let page: Page
let url: string
beforeAll(() => {
  ;({ page, url } = screens())
})

const at = (traceId: string, search = "") => openTrace(page, `${url}/traces/${traceId}${search}`)
const panel = () => page.getByRole("region", { name: "Selected span" })
const row = (name: string) => page.getByRole("row").filter({ has: page.getByText(name, { exact: true }) })
const grid = () => page.getByRole("treegrid", { name: "Spans" })
const rowCount = async () => Number(await grid().getAttribute("aria-rowcount"))

/** Sends a span, the last child of the root. */
async function sendLate(traceId: string, number: number): Promise<void> {
  const start = BigInt(screens().now) * 1_000_000n + BigInt(number)
  const span = {
    traceId,
    spanId: idOf(traceId, number),
    parentSpanId: idOf(traceId, 1),
    name: `late ${number}`,
    kind: 1,
    startTimeUnixNano: String(start),
    endTimeUnixNano: String(start + 5_000_000n),
  }
  const response = await fetch(`${url}/v1/traces`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ resourceSpans: [{ resource: { attributes: [] }, scopeSpans: [{ spans: [span] }] }] }),
  })
  expect(response.status).toBe(200)
  await waitFor("the span in the store", async () => {
    const stored = await fetch(`${url}/api/traces/${traceId}/spans/${span.spanId}`)
    return ((await stored.json()) as { spans: unknown[] }).spans.length === 1
  })
}

test("a large trace keeps its rows, its place and what is collapsed until its new rows have arrived", async () => {
  await at(LARGE)
  // The number of rows counts those that are still loading, too.
  await waitFor("all rows", async () => (await grid().evaluate((element) => element.scrollHeight)) > LARGE_SPANS * 26)
  await page.locator("[data-row]").first().focus()
  await page.keyboard.press("End")
  await page.locator(`[data-row="${LARGE_SPANS - 1}"]`).waitFor()
  const parent = await page.locator('[data-row][aria-expanded="true"]').last().getAttribute("data-row")
  await page.locator(`[data-row="${parent}"] [data-toggle]`).click()
  const collapsed = page.locator('[data-row][aria-expanded="false"]').first()
  await collapsed.waitFor()
  const name = await collapsed.innerText()
  const [rows, top] = [await rowCount(), await grid().evaluate((element) => element.scrollTop)]
  await sendLate(LARGE, 90_001)
  let answer = () => {}
  const requested = new Promise<void>((resolve) => (answer = resolve))
  await page.route("**/waterfall?*", async (route) => {
    await requested
    await route.continue()
  })
  const loading = page.waitForRequest(/\/waterfall\?/)
  await page.getByRole("button", { name: "Show", exact: true }).click()
  await loading
  expect(await rowCount()).toBe(rows)
  expect(await grid().evaluate((element) => element.scrollTop)).toBe(top)
  answer()
  await waitFor("the new row", async () => (await rowCount()) === rows + 1)
  expect(await grid().evaluate((element) => element.scrollTop)).toBe(top)
  expect(await page.locator('[data-row][aria-expanded="false"]').first().innerText()).toBe(name)
  await page.unroute("**/waterfall?*")
})

describe("End, pressed while the rows of a large trace are loading", () => {
  const focused = () => page.evaluate(() => (document.activeElement as HTMLElement | null)?.dataset["row"])

  /** Presses End while only the first rows are loaded. Returns the row it led to, and a function that loads the others. */
  async function pressEnd() {
    let answer = () => {}
    const released = new Promise<void>((resolve) => (answer = resolve))
    await page.route("**/waterfall?*", async (route) => {
      await released
      await route.continue()
    })
    await at(LARGE)
    await page.locator("[data-row]").first().focus()
    await page.keyboard.press("End")
    await waitFor("the last row that is loaded", async () => Number(await focused()) > 0)
    const last = Number(await focused())
    expect(last).toBeLessThan(LARGE_SPANS - 1)
    const load = async () => {
      answer()
      await waitFor("all rows", async () => (await grid().evaluate((each) => each.scrollHeight)) > LARGE_SPANS * 26)
      await page.unroute("**/waterfall?*")
    }
    return { last, load }
  }

  test("leads to the last row of the trace once it is loaded", async () => {
    const { load } = await pressEnd()
    await load()
    await waitFor("the last row", async () => Number(await focused()) >= LARGE_SPANS - 1)
  })

  test("no longer does once another key has led elsewhere, or the rows were scrolled", async () => {
    const moved = await pressEnd()
    await page.keyboard.press("ArrowUp")
    await moved.load()
    expect(await focused()).toBe(String(moved.last - 1))
    const scrolled = await pressEnd()
    await grid().evaluate((element) => element.scrollTo({ top: 0 }))
    await scrolled.load()
    expect(await focused()).toBe(String(scrolled.last))
    expect(await grid().evaluate((element) => element.scrollTop)).toBe(0)
  })
})

describe("a selected span", () => {
  test("whose request failed is requested again once it is selected again", async () => {
    await at(VISIT)
    const address = `**/api/traces/${VISIT}/spans/${idOf(VISIT, SPAN.reco)}`
    await page.route(address, (route) => route.abort())
    await row("GET /api/reco").click()
    await panel().getByRole("heading", { name: "Span could not be loaded" }).waitFor()
    await page.unroute(address)
    await page.keyboard.press("Escape")
    await panel().getByRole("heading").waitFor({ state: "detached" })
    await row("GET /api/reco").click()
    await panel().getByText("Trace ID", { exact: true }).waitFor()
  })

  test("that arrives after it was selected is shown once the trace is refreshed", async () => {
    await at(VISIT, `?span=${idOf(VISIT, 90_002)}`)
    await panel().getByRole("heading", { name: "Span not found" }).waitFor()
    await sendLate(VISIT, 90_002)
    await page.getByRole("button", { name: "Show", exact: true }).click()
    await panel().getByRole("heading", { name: "late 90002" }).waitFor()
  })
})

describe("the URL of a trace", () => {
  const selected = idOf(VISIT, SPAN.reco)

  test("has the selected span without a request to the server, and after a refresh too", async () => {
    await at(VISIT)
    let rendered = 0
    const count = (request: Request) =>
      (rendered += Number(request.url().includes(`${VISIT}?`) && "rsc" in request.headers()))
    page.on("request", count)
    onTestFinished(() => void page.off("request", count))
    await row("GET /api/reco").click()
    await addressHas(page, "span", selected)
    expect(rendered).toBe(0)
    await sendLate(VISIT, 90_003)
    await page.getByRole("button", { name: "Show", exact: true }).click()
    await row("late 90003").waitFor()
    expect(new URL(page.url()).searchParams.get("span")).toBe(selected)
  })

  test("leads back to the selected span from another screen", async () => {
    await at(VISIT)
    await row("GET /api/reco").click()
    await addressHas(page, "span", selected)
    await page.getByRole("navigation").getByRole("link", { name: "Logs", exact: true }).click()
    await page.waitForURL((address) => address.pathname === "/logs")
    await page.goBack()
    await panel().getByRole("heading", { name: "GET /api/reco" }).waitFor()
    expect(new URL(page.url()).searchParams.get("span")).toBe(selected)
  })
})

test("a trace that is left by the back button at once leaves the URL of the list as it was", async () => {
  const list = `${url}/traces?q=${encodeURIComponent("duration:>1ms")}`
  await page.goto(list)
  await page.locator(`a[href^="/traces/${VISIT}"]`).first().click()
  await row("GET /api/reco").waitFor()
  // A refresh empties the router's cache, so that the way back waits for the server.
  await sendLate(VISIT, 90_004)
  await page.getByRole("button", { name: "Show", exact: true }).click()
  await row("late 90004").waitFor()
  let answer = () => {}
  const released = new Promise<void>((resolve) => (answer = resolve))
  const isList = (address: URL) => address.pathname === "/traces"
  await page.route(isList, async (route) => {
    await released
    await route.continue()
  })
  const requested = page.waitForRequest((request) => isList(new URL(request.url())))
  await row("GET /api/reco")
    .locator("a")
    .first()
    .evaluate((link: HTMLElement) => {
      link.click()
      window.history.back()
    })
  await requested
  await sleep(2 * SETTLED_MS)
  expect(page.url()).toBe(list)
  answer()
  await page.locator(`a[href^="/traces/${VISIT}"]`).first().waitFor()
  expect(page.url()).toBe(list)
  await page.unroute(isList)
})

describe("the flame graph", () => {
  const ZOOM = "450000000-1350000000"
  const canvas = () => page.getByRole("img", { name: /^Flame graph/ })

  /** Presses a button in the middle of the canvas and moves it to the left, past a button that is pressed already. */
  async function drag(button: "left" | "right"): Promise<void> {
    const box = (await canvas().boundingBox())!
    await page.mouse.move(box.x + box.width / 2, box.y + 30)
    await page.mouse.down({ button })
    await page.mouse.move(box.x + box.width / 4, box.y + 30, { steps: 4 })
  }

  /** The URL as it is once it has followed the state. */
  async function settled(path: "1" | null): Promise<readonly (string | null)[]> {
    await page.keyboard.press("c")
    await addressHas(page, "path", path)
    const { searchParams } = new URL(page.url())
    return [searchParams.get("zoom"), searchParams.get("span")]
  }

  test("is dragged with the primary button only", async () => {
    await at(VISIT, `?view=flame&zoom=${ZOOM}`)
    await drag("right")
    await page.mouse.up({ button: "right" })
    expect(await settled("1")).toEqual([ZOOM, null])
    await drag("left")
    await page.mouse.up()
    expect(await settled(null)).not.toEqual([ZOOM, null])
  })

  test("opens no span with another button", async () => {
    await at(VISIT, "?view=flame")
    const box = (await canvas().boundingBox())!
    const secondLane = box.y + 1.5 * LANE_HEIGHT
    await page.mouse.click(box.x + box.width / 2, secondLane, { button: "right" })
    expect(await settled("1")).toEqual([null, null])
    await page.mouse.click(box.x + box.width / 2, secondLane)
    await addressHas(page, "span", idOf(VISIT, SPAN.page))
  })

  test("is no longer dragged once the browser cancels the pointer", async () => {
    await at(VISIT, `?view=flame&zoom=${ZOOM}`)
    const box = (await canvas().boundingBox())!
    await page.mouse.move(box.x + box.width / 2, box.y + 30)
    await page.mouse.down()
    await canvas().dispatchEvent("pointercancel", { pointerId: 1, bubbles: true })
    await page.mouse.move(box.x + box.width / 4, box.y + 30, { steps: 4 })
    expect(await settled("1")).toEqual([ZOOM, null])
    await page.mouse.up()
  })
})
