import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { ListApp, traceIdOf } from "./session/list-app.ts"

/** `/traces` in Chromium with the real store. Each test continues where the previous one ended. */
let list: ListApp
const MINUTE = 60_000
/** Screens are slow on a busy machine. */
beforeAll(async () => {
  list = await ListApp.start()
  await list.send(
    {
      trace: 1,
      id: 1,
      name: "/cart",
      service: "shop",
      agoMs: 9 * MINUTE,
      // Longer than any other trace, even on a busy machine.
      lengthMs: 60_000,
      attributes: { "http.route": "/cart" },
    },
    {
      trace: 1,
      id: 2,
      parent: 1,
      name: "SELECT",
      service: "db",
      agoMs: 9 * MINUTE,
      failed: true,
      attributes: { "http.status_code": "503" },
    },
    {
      trace: 2,
      id: 3,
      name: "/post/[id]",
      service: "blog",
      agoMs: 5 * MINUTE,
      lengthMs: 20,
      attributes: { "http.route": "/post/[id]" },
    },
    {
      trace: 3,
      id: 4,
      name: "/cart",
      service: "shop",
      // Before the last sixth of 15 minutes, which the range brushed below leaves out.
      agoMs: 4 * MINUTE,
      lengthMs: 40,
      attributes: { "http.route": "/cart" },
    },
  )
})
afterAll(() => list.stop())

describe("the filter", () => {
  test("is completed from the language and from stored values, by keyboard alone", async () => {
    await list.open("/traces")
    await list.shows(["/cart", "/post/[id]", "/cart"])
    const { page } = list
    await page.keyboard.press("/")
    const box = page.getByRole("combobox", { name: "Filter" })
    await page.keyboard.type("serv")
    await page
      .getByRole("option", { name: /^service/ })
      .first()
      .waitFor()
    expect(await box.getAttribute("aria-expanded")).toBe("true")
    await page.keyboard.press("ArrowDown")
    expect(await box.getAttribute("aria-activedescendant")).toBe(
      await page.getByRole("listbox").getByRole("option", { selected: true }).getAttribute("id"),
    )
    await page.keyboard.press("Enter")
    await expect.poll(() => box.inputValue()).toBe("service:")
    await page.keyboard.type("d")
    await page.getByRole("option", { name: /^db/ }).waitFor()
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Tab")
    await expect.poll(() => box.inputValue()).toBe("service:db ")
    await page.keyboard.press("Enter")
    await list.shows(["/cart"])
    expect(list.parameters).toEqual({ q: "service:db" })
  })

  test("lives in the URL: the server renders it, and back and forward restore it", async () => {
    const html = await (await fetch(`${list.app.url}/traces?q=${encodeURIComponent("duration<30ms")}`)).text()
    expect(html).toContain('value="duration&lt;30ms"')
    expect(html).toContain("/post/[id]</bdi>")
    await list.page.goBack()
    await list.shows(["/cart", "/post/[id]", "/cart"])
    await list.page.goForward()
    await list.shows(["/cart"])
  })

  test("that does not parse shows the position of the error and sends no query", async () => {
    const { page } = list
    const before = page.url()
    const box = page.getByRole("combobox", { name: "Filter" })
    await box.fill("status:error duration>fast")
    await box.press("Escape")
    await box.press("Enter")
    await page.getByRole("alert").filter({ hasText: "“fast” is not a duration" }).waitFor()
    expect(
      await box.evaluate((input: HTMLInputElement) =>
        input.value.slice(input.selectionStart ?? 0, input.selectionEnd ?? 0),
      ),
    ).toBe("fast")
    expect(page.url()).toBe(before)
    await list.open(`/traces?q=${encodeURIComponent("duration>fast")}`)
    expect(await box.getAttribute("aria-invalid")).toBe("true")
    await page.getByRole("alert").filter({ hasText: "at character 10" }).waitFor()
    expect(await list.names()).toEqual([])
    expect((await fetch(`${list.app.url}/api/traces?q=duration%3Efast`)).status).toBe(400)
  })

  test("treats old and new names of an attribute as one", async () => {
    await list.open(`/traces?q=${encodeURIComponent("http.response.status_code:5xx")}`)
    await list.shows(["/cart"])
  })
})

describe("the controls of the list", () => {
  test("a facet value filters the list, is marked, and can be removed", async () => {
    await list.open("/traces")
    const { page } = list
    const value = page.getByRole("region", { name: "Service" }).getByRole("link", { name: /^blog/ })
    await value.click()
    await list.shows(["/post/[id]"])
    expect(list.parameters).toEqual({ q: "service:blog" })
    expect(await value.getAttribute("aria-current")).toBe("true")
    await value.click()
    await list.shows(["/cart", "/post/[id]", "/cart"])
    await page.getByRole("region", { name: "Status" }).getByRole("link", { name: "Exclude error" }).click()
    await list.shows(["/cart", "/post/[id]"])
    expect(list.parameters).toEqual({ q: "-status:error" })
  })

  test("a column sorts in descending order, then ascending", async () => {
    await list.open("/traces")
    const { page } = list
    const header = page.getByRole("columnheader", { name: "Duration" })
    await header.getByRole("link").click()
    await list.shows(["/cart", "/cart", "/post/[id]"])
    await expect.poll(() => header.getAttribute("aria-sort")).toBe("descending")
    await header.getByRole("link").click()
    await list.shows(["/post/[id]", "/cart", "/cart"])
    expect(list.parameters).toEqual({ sort: "duration-asc" })
  })

  test("a range brushed on the histogram becomes the time range, and arriving traces do not widen it", async () => {
    await list.open("/traces?since=15m")
    const { page } = list
    const chart = page.getByRole("application")
    await chart.focus()
    await page.keyboard.press("Home")
    for (let step = 0; step < 50; step++) await page.keyboard.press("Shift+ArrowRight")
    await page.keyboard.press("Enter")
    await expect
      .poll(() => Object.keys(list.parameters).sort())
      .toEqual(["baseline", "baselineSince", "since", "until"])
    const before = ["/cart", "/post/[id]", "/cart"]
    await list.shows(before)
    await list.send({ trace: 10, id: 10, name: "/outside", service: "shop" })
    await page.waitForTimeout(500)
    expect(await list.names()).toEqual(before)
    expect(await page.getByRole("button", { name: /new$/ }).count()).toBe(0)
  })
})

describe("while the user reads", () => {
  test("the list does not move under the pointer and offers new traces", async () => {
    await list.open("/traces")
    const { page } = list
    await page.locator("tr[data-row='1']").hover()
    const before = await list.names()
    const top = () => page.locator("tr[data-row='1']").evaluate((row) => row.getBoundingClientRect().top)
    const [place] = [await top()]
    await list.send(
      { trace: 11, id: 11, name: "/new", service: "shop" },
      { trace: 12, id: 12, name: "/newer", service: "shop" },
    )
    await page.getByRole("button", { name: "2 new" }).waitFor()
    expect(await list.names()).toEqual(before)
    expect(await top()).toBe(place)
    await page.getByRole("button", { name: "2 new" }).click()
    await expect.poll(async () => (await list.names()).slice(0, 2)).toEqual(["/newer", "/new"])
  })

  test("a live row without its root says so, and takes the name of the root when it arrives", async () => {
    const { page } = list
    await page.mouse.move(5, 5)
    await list.send({ trace: 13, id: 130, parent: 131, name: "early child", service: "shop" })
    const row = page.locator("tr", { hasText: "early child" })
    await row.getByText("no root yet").waitFor()
    await list.post([{ trace: 13, id: 131, name: "/late-root", service: "shop", agoMs: -5 }])
    await page.locator("tr", { hasText: "/late-root" }).waitFor()
    expect(await page.getByText("early child").count()).toBe(0)
    expect(await page.locator("tr", { hasText: "/late-root" }).getByText("no root yet").count()).toBe(0)
  })

  test("a filter applies to arriving traces, also when a later span decides", async () => {
    await list.open(`/traces?q=${encodeURIComponent("service:late status:error")}`)
    const { page } = list
    await list.post([{ trace: 14, id: 140, name: "/decided-later", service: "late" }])
    await list.post([{ trace: 15, id: 150, name: "/never", service: "shop" }])
    await page.waitForTimeout(300)
    expect(await list.names()).toEqual([])
    await list.post([{ trace: 14, id: 141, parent: 140, name: "child", service: "late", failed: true }])
    await list.shows(["/decided-later"])
  })

  test("keys move between rows, and Enter opens the trace", async () => {
    await list.open("/traces?sort=duration")
    const { page } = list
    await page.keyboard.press("j")
    await page.keyboard.press("j")
    await page.keyboard.press("k")
    await expect.poll(() => page.evaluate(() => document.activeElement?.closest("tr")?.dataset["row"])).toBe("0")
    await page.keyboard.press("Enter")
    await page.waitForURL((url) => url.pathname === `/traces/${traceIdOf(1)}`)
  })
})

describe("many traces", () => {
  test("load while the user scrolls, with a bounded number of rows and the total", async () => {
    const flood = Array.from({ length: 450 }, (_, index) => ({
      trace: 1_000 + index,
      id: 10_000 + index,
      name: `/many/${index}`,
      service: "many",
      agoMs: MINUTE + index,
    }))
    await list.send(...flood)
    await list.open("/traces?q=service:many")
    const { page } = list
    await page.getByText("Showing 100 of 450 traces").waitFor()
    for (let step = 0; step < 20 && (await page.getByText("Showing").count()) > 0; step++) {
      await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight))
      await page.waitForTimeout(150)
    }
    await page.getByText("450 traces", { exact: true }).first().waitFor()
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight))
    await page.locator("tr[data-row='449']").waitFor()
    expect(await page.locator("tbody tr").count()).toBeLessThan(150)
    expect(await page.getByRole("table", { name: "450 traces" }).getAttribute("aria-rowcount")).toBe("451")
  })

  test("that arrive in a burst leave the page responsive, and all are counted", async () => {
    await list.open("/traces?q=service:burst")
    const { page } = list
    const burst = Array.from({ length: 20 }, (_, batch) =>
      Array.from({ length: 100 }, (_unused, index) => ({
        trace: 20_000 + batch * 100 + index,
        id: 50_000 + batch * 100 + index,
        name: `/burst/${batch}/${index}`,
        service: "burst",
      })),
    )
    await Promise.all(burst.map((spans) => list.post(spans)))
    // All of them are counted: the page queries the traces that the feed skips.
    await page
      .getByText(/(?:^| of )2,000 traces$/)
      .first()
      .waitFor({ timeout: 50_000 })
    expect(await page.locator("tbody tr").count()).toBeLessThan(150)
  })
})

test("the values of a field are not offered for another one while its own are loading", async () => {
  await list.open("/traces")
  const { page } = list
  const box = page.getByRole("combobox", { name: "Filter" })
  await box.fill("service:")
  await page.getByRole("option", { name: /^shop/ }).waitFor()
  let answer = (): void => undefined
  const held = new Promise<void>((resolve) => (answer = resolve))
  await page.route("**/api/attributes?name=name*", async (route) => {
    await held
    await route.continue()
  })
  const requested = page.waitForRequest(/attributes\?name=name/)
  await box.fill("name:")
  await requested
  expect(await page.getByRole("listbox").getByRole("option").count()).toBe(0)
  answer()
  await page.getByRole("option", { name: /^\/cart/ }).waitFor()
})

test("the top bar shows how many traces the server skipped in the live feed", async () => {
  const { page } = list
  const body = 'event: skipped\ndata: {"skipped":7}\n\n'
  await page.route("**/live*", (route) => route.fulfill({ contentType: "text/event-stream", body }))
  await page.goto(`${list.app.url}/traces`)
  await page.getByText(/^\d+ not shown live$/).waitFor()
  await page.unroute("**/live*")
})

test("no page violated the content security policy or threw an error", () => {
  expect(list.violations).toEqual([])
})
