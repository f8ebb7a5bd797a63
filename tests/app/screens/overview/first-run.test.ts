import { afterAll, beforeAll, expect, test } from "vitest"
import { waitFor } from "#tests/support/wait-for.ts"
import { ListApp, traceIdOf } from "../session/list-app.ts"

/** An inspector that nothing has been sent to, and its first traces in forced colours. */
let list: ListApp
beforeAll(async () => {
  list = await ListApp.start()
})
afterAll(() => list.stop())

test("at the first run the overview says that nothing is connected, and leads to Connect", async () => {
  await list.open("/")
  await list.page.getByText("No application has sent traces yet").waitFor()
  await list.page.getByRole("main").getByRole("link", { name: "Connect an application" }).click()
  await list.page.getByRole("heading", { level: 1, name: "Connect" }).waitFor()
})

test("the hint is gone once an application has sent a trace", async () => {
  await list.send(
    ...[1, 2, 3, 4].map((trace) => ({
      trace,
      id: trace,
      name: trace === 4 ? "GET /failing" : "GET /fine",
      service: "shop",
      agoMs: 60_000 * trace,
      lengthMs: 20,
      failed: trace === 4,
    })),
  )
  await list.open("/")
  await list.page.getByRole("link", { name: "GET /failing" }).first().waitFor()
  expect(await list.page.getByText("No application has sent traces yet").count()).toBe(0)
})

test("in forced colours, failed and other traces differ in the bars and in the list", async () => {
  await list.page.emulateMedia({ forcedColors: "active" })
  await list.open("/traces")
  const bars = list.page.locator("canvas").first()
  await bars.waitFor()
  const hues = () =>
    bars.evaluate((canvas: HTMLCanvasElement) => {
      const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height)
      let [red, other] = [0, 0]
      for (let at = 0; at < data.length; at += 4) {
        const [r = 0, g = 0, b = 0, alpha = 0] = data.slice(at, at + 4)
        if (alpha < 200 || Math.max(r, g, b) - Math.min(r, g, b) < 40) continue
        if (r > g + 40 && r > b + 40) red++
        else other++
      }
      return { red, other }
    })
  await waitFor("both kinds of bars", async () => {
    const { red, other } = await hues()
    return red > 20 && other > 20
  })
  // One of four bars of equal height and width.
  const { red, other } = await hues()
  expect(other / red).toBeGreaterThan(2)
  expect(other / red).toBeLessThan(4)
  const failed = list.page.locator("tr", { hasText: "GET /failing" })
  expect(await failed.locator("svg").count()).toBeGreaterThan(
    await list.page.locator("tr", { hasText: "GET /fine" }).first().locator("svg").count(),
  )
})

test("in forced colours, a failed span differs in the tree by its icon and its name for assistive technology", async () => {
  await list.open(`/traces/${traceIdOf(4)}`)
  const row = list.page.locator("[data-row]").first()
  await row.getByText("Error:").waitFor({ state: "attached" })
  const [icon] = await row.locator("svg").evaluateAll((icons) => icons.map((each) => getComputedStyle(each).color))
  const page = await list.page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  expect(icon).not.toBe(page)
  await list.page.emulateMedia({ forcedColors: "none" })
})
