import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { ListApp } from "./session/list-app.ts"
import { seriousFaults } from "./session/serious-faults.ts"

/** `/`, `/runs`, and what all lists have in common, in Chromium with the real store. */
let list: ListApp
/** Screens are slow on a busy machine. */
const cart = { service: "shop", name: "/cart", attributes: { "http.route": "/cart" } }

beforeAll(async () => {
  list = await ListApp.start()
  await list.send(
    { trace: 1, id: 1, ...cart, agoMs: 60_000 },
    { trace: 2, id: 2, ...cart, agoMs: 30_000, failed: true },
  )
})
afterAll(() => list.stop())

describe("Pagespan's own telemetry", () => {
  test("is hidden once an application has sent data, and shown by a switch that is remembered", async () => {
    const { page } = list
    await list.open("/traces")
    const own = page.getByRole("switch", { name: "Show Pagespan’s traces" })
    expect(await own.getAttribute("aria-checked")).toBe("false")
    expect(
      await page
        .getByRole("region", { name: "Service" })
        .getByText(/^pagespan/)
        .count(),
    ).toBe(0)
    await own.click()
    await page
      .getByRole("region", { name: "Service" })
      .getByText(/^pagespan$/)
      .waitFor()
    expect(list.parameters).toEqual({ own: "show" })
    await list.open("/")
    expect(await page.getByRole("switch", { name: "Show Pagespan’s traces" }).getAttribute("aria-checked")).toBe("true")
    await page.getByRole("switch", { name: "Show Pagespan’s traces" }).click()
    await expect.poll(() => list.parameters).toEqual({ own: "hide" })
  })

  test("does not count in a shared route until it is shown", async () => {
    const { page } = list
    await list.open("/routes/traces?own=hide")
    await page.getByText("No data for this route").waitFor()
    await page.getByRole("switch", { name: "Show Pagespan’s traces" }).click()
    await page.getByRole("heading", { name: "Child spans" }).waitFor()
    await page.getByRole("switch", { name: "Show Pagespan’s traces" }).click()
    await page.getByText("No data for this route").waitFor()
  })
})

describe("runs", () => {
  test("are started, ended, selected by name and compared by route", async () => {
    await list.open("/runs")
    const { page } = list
    const start = async (name: string) => {
      await page.getByRole("textbox", { name: "Name" }).fill(name)
      await page.getByRole("button", { name: "Start run" }).click()
      await page.getByRole("rowheader", { name }).waitFor()
    }
    await start("before")
    await list.send({ trace: 31, id: 310, ...cart, lengthMs: 100 }, { trace: 32, id: 320, ...cart, lengthMs: 100 })
    await page.getByRole("button", { name: "End before" }).click()
    await expect.poll(() => page.getByRole("button", { name: "End before" }).count()).toBe(0)
    await start("after")
    await list.send({ trace: 33, id: 330, ...cart, lengthMs: 150, failed: true })
    await list.open("/traces?q=run:before")
    await list.shows(["/cart", "/cart"])
    await list.open("/runs")
    await page.getByRole("combobox", { name: "Baseline" }).selectOption("before")
    await page.getByRole("combobox", { name: "Current" }).selectOption("after")
    await page.getByRole("button", { name: "Compare" }).click()
    const row = page.getByRole("table", { name: "Routes" }).getByRole("row").filter({ hasText: "/cart" })
    await row.waitFor()
    expect(list.parameters).toEqual({ a: "run:before", b: "run:after" })
    const cells = (await row.getByRole("cell").allInnerTexts()).map((text) => text.replace(/\s+/g, " "))
    expect(cells).toEqual([
      "2 → 1",
      "100 ms → 150 ms",
      "too few",
      "100 ms → 150 ms",
      "too few",
      "0 % → 100 %",
      "too few",
    ])
  })

  test("are named by attribute, and by requests of the same origin only", async () => {
    const { url } = list.app
    await list.send({ trace: 34, id: 340, name: "/ci", service: "api", resource: { "pagespan.run": "ci-42" } })
    const found = await (await fetch(`${url}/api/traces?q=run:ci-42`)).json()
    expect(found).toMatchObject({ traces: [{ name: "/ci" }] })
    const post = (headers: Record<string, string>, body: object) =>
      fetch(`${url}/api/runs`, { method: "POST", headers, body: JSON.stringify(body) })
    expect((await post({ origin: "http://localhost:9" }, { name: "foreign" })).status).toBe(403)
    expect((await post({}, { name: "no such <name>" })).status).toBe(400)
    expect((await post({}, { name: "x", filter: "duration>fast" })).status).toBe(400)
    expect((await post({}, { name: "x", more: 1 })).status).toBe(400)
    expect((await post({}, { name: "by-script", filter: "service:api", since: "1h" })).status).toBe(204)
    const { runs } = (await (await fetch(`${url}/api/runs`)).json()) as { runs: { name: string }[] }
    expect(runs.map(({ name }) => name).sort()).toEqual(["after", "before", "by-script"])
    expect((await fetch(`${url}/api/runs/by-script`, { method: "DELETE" })).status).toBe(204)
    expect((await fetch(`${url}/api/runs/by-script`, { method: "DELETE" })).status).toBe(404)
  })
})

describe("the overview", () => {
  test("shows which services and routes are busy, slow and failing", async () => {
    await list.open("/")
    const { page } = list
    const service = page.getByRole("table", { name: "Services" }).getByRole("row").filter({ hasText: "shop" })
    expect(await service.innerText()).toMatch(/shop/)
    await service.getByRole("img", { name: /traces, \d+ failed$/ }).waitFor({ state: "attached" })
    const route = page.getByRole("table", { name: "Slowest routes" }).getByRole("row").filter({ hasText: "/cart" })
    await route.getByRole("link", { name: /slowest trace of \/cart/ }).waitFor()
    await route.getByRole("link", { name: "/cart", exact: true }).click()
    await expect.poll(() => list.parameters).toEqual({ q: "route:/cart", since: "30m" })
  })
})

test.each(["/traces?q=duration%3Efast", "/compare?a=run:before&b=run:after"])(
  "%s has no serious fault to assistive technology, in light, in dark and at 390 px",
  async (path) => {
    await list.open(path)
    expect(await seriousFaults(list.page)).toEqual([])
  },
)

test("no page violated the content security policy or threw an error", () => {
  expect(list.violations).toEqual([])
})
