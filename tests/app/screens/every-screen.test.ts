import { beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { toDropCursor } from "#otel/inspector/queries/drops/drop-cursor.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { hexId } from "./samples/hex-id.ts"
import { HOSTILE, hostileRecords } from "./samples/hostile-records.ts"
import { openScreen } from "./session/open-screen.ts"
import { ScreenSession } from "./session/screen-session.ts"
import { SCREENS } from "./session/screen-table.ts"
import { seriousFaults } from "./session/serious-faults.ts"

/** What every screen must do: be reachable, work with assistive technology and in narrow windows, and withstand hostile text. */
const session = ScreenSession.ofFile()
beforeAll(() => session.sendSamples())

const palette = () => session.page.getByRole("combobox", { name: "Go to" })

async function openPalette() {
  await session.page.keyboard.press("Control+k")
  await palette().waitFor()
  return palette()
}

describe("the palette", () => {
  test("opens from the keyboard, navigates to a screen, a route, an error and a pasted trace, and restores the focus", async () => {
    await session.open("/connect")
    // Typed without a click: the box has the focus.
    const type = async (text: string) => {
      await openPalette()
      await session.page.keyboard.type(text)
    }
    await type("dropped")
    await session.page.keyboard.press("Enter")
    await session.page.waitForURL(/\/dropped$/)
    await type("items/[id]")
    await session.page.getByRole("option", { name: "/items/[id]" }).click()
    await session.page.waitForURL(/\/routes\/items/)
    await type("reading 'charge'")
    await session.page.getByRole("option", { name: /^TypeError/ }).click()
    await session.page.waitForURL(/\/errors\//)
    await type(`00-${hexId("visit 3", 32)}-${hexId("visit 3 root", 16)}-01`)
    await session.page.keyboard.press("Enter")
    await session.page.waitForURL(/\/traces\/.*span=/)
    const button = session.page.getByRole("button", { name: /^Go to/ })
    await button.focus()
    await session.page.keyboard.press("Enter")
    await palette().waitFor()
    await session.page.keyboard.press("Escape")
    await palette().waitFor({ state: "detached" })
    expect(await button.evaluate((element) => element === document.activeElement)).toBe(true)
  })

  /** Opens the palette in a new profile and types a text while the requests that match wait. */
  async function typeBefore(requests: string, text: string) {
    const context = await session.page.context().browser()!.newContext()
    onTestFinished(() => context.close())
    const page = await context.newPage()
    await openScreen(page, `${session.app.url}/connect`)
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    await page.route(requests, async (route) => {
      await released
      await route.continue()
    })
    await page.keyboard.press("Control+k")
    await page.keyboard.type(text)
    return { page, release }
  }

  test("takes what is typed while its menu is still loading", async () => {
    const { page, release } = await typeBefore("**/_next/static/**", "dropp")
    release()
    await page.getByRole("option", { name: "Dropped", exact: true }).waitFor()
    await page.keyboard.type("ed")
    expect(await page.getByRole("combobox", { name: "Go to" }).inputValue()).toBe("dropped")
    await page.keyboard.press("Enter")
    await page.waitForURL(/\/dropped$/)
  })

  test("chooses the first of the services that arrive after their name was typed", async () => {
    const { page, release } = await typeBefore("**/api/attributes*", "shop-browser")
    await page.getByRole("option").first().waitFor()
    release()
    await page.locator('[role="option"][aria-selected="true"]').getByText("shop-browser", { exact: true }).waitFor()
    await page.keyboard.press("Enter")
    await page.waitForURL(/\/services\/shop-browser/)
  })

  test("finds screens by their names, not by their addresses", async () => {
    await session.open("/connect")
    const options = session.page.getByRole("option")
    await (await openPalette()).fill("heatmap")
    await options.filter({ hasText: "Duration heatmap" }).waitFor()
    // Its address has `?chart=heatmap`.
    await palette().fill("cart")
    await options.filter({ hasText: "Duration heatmap" }).waitFor({ state: "detached" })
    await session.page.keyboard.press("Escape")
  })

  test("sets the theme of this and every later page", async () => {
    await session.open("/errors")
    const background = () => session.page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
    const light = await background()
    await (await openPalette()).fill("dark theme")
    await session.page.keyboard.press("Enter")
    await waitFor("the dark", async () => (await background()) !== light)
    const dark = await background()
    await session.page.reload()
    expect(await background()).toBe(dark)
    await (await openPalette()).fill("system theme")
    await session.page.keyboard.press("Enter")
    await waitFor("the light", async () => (await background()) === light)
  })
})

describe("from the keyboard", () => {
  test("every screen is reachable from the top bar and has a heading", async () => {
    await session.open("/connect")
    await session.page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
    await session.page.keyboard.press("Tab")
    expect(await session.page.evaluate(() => document.activeElement?.textContent)).toBe("Skip to content")
    const links = session.page.getByRole("navigation", { name: "Screens" }).getByRole("link")
    for (const name of await links.allInnerTexts()) {
      await links.filter({ hasText: name }).focus()
      await session.page.keyboard.press("Enter")
      await session.page.locator(`nav[aria-label="Screens"] a[aria-current="page"]`, { hasText: name }).waitFor()
    }
  })
})

test.each([
  ["/errors/ISSUE", /^TypeError/],
  ["/routes/items/%5Bid%5D", /^\/items\/\[id\] · Pagespan$/],
  ["/services/shop", /^shop · Pagespan$/],
])("the tab of %s is titled by what it shows", async (path, title) => {
  await session.open(path)
  await waitFor("the title", async () => title.test(await session.page.title()))
})

test.each(["/traces", "/logs", "/errors"])("the tab of %s keeps its title while a filter is applied", async (path) => {
  await session.open(path)
  await session.page.evaluate(() => {
    const titles = new Set([document.title])
    Object.assign(window, { titles })
    const observer = new MutationObserver(() => titles.add(document.title))
    observer.observe(document.head, { childList: true, subtree: true, characterData: true })
  })
  const title = await session.page.title()
  const filter = session.page.locator('main form [name="q"]').first()
  await filter.fill("service:shop")
  await filter.press("Enter")
  await session.page.waitForURL(/[?&]q=service/)
  await session.page.waitForLoadState("networkidle")
  const titles = () => session.page.evaluate(() => [...(window as unknown as { titles: Set<string> }).titles])
  expect(await titles()).toStrictEqual([title])
})

describe("in light, in dark and at 390 px, to assistive technology", () => {
  test.each(SCREENS)("%s has no serious accessibility violation and no horizontal overflow", async (_name, path) => {
    await session.open(path)
    expect(await seriousFaults(session.page)).toEqual([])
  })

  test.each(SCREENS)("%s cuts no column heading at 1440 px", async (_name, path) => {
    await session.page.setViewportSize({ width: 1_440, height: 900 })
    await session.open(path)
    const cut = await session.page
      .locator("thead th:visible")
      .evaluateAll((heads) =>
        heads.filter((head) => head.scrollWidth > head.clientWidth).map((head) => head.textContent),
      )
    expect(cut).toEqual([])
  })

  test("the palette has no serious accessibility violation", async () => {
    await session.open("/connect")
    await openPalette()
    await session.page.getByRole("option", { name: "/items/[id]" }).waitFor()
    expect(await seriousFaults(session.page)).toEqual([])
  })
})

test("no page violated the content security policy or logged an error", () => {
  const unexpected = session.complaints.filter((text) => !text.includes("the server responded with a status of 404"))
  expect(unexpected).toEqual([])
})

describe("hostile input", () => {
  const seen: string[] = []

  test("runs, loads, moves and restyles nothing in any field or key of errors, routes and drops", async () => {
    session.page.on("request", (request) => !request.url().startsWith(session.app.url) && seen.push(request.url()))
    session.page.on("dialog", (dialog) => void dialog.dismiss().then(() => seen.push("a dialog")))
    session.complaints.length = 0
    await hostileRecords(session.app.url)
    await waitFor(
      "the hostile errors",
      async () => (await session.issues("?limit=100&q=hostile")).length === HOSTILE.length,
      20_000,
    )
    const pages = [
      "/errors",
      "/routes?of=load",
      "/dropped",
      ...(await session.issues("?limit=100&q=hostile")).map((issue) => `/errors/${issue.issueId}`),
    ]
    for (const path of pages) {
      await session.open(path)
      expect(
        await session.page
          .locator("main")
          .locator("script, iframe, img, object, embed, form[action^=http], style")
          .count(),
      ).toBe(0)
      const links = await session.page
        .locator("a")
        .evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).protocol))
      expect(links.filter((protocol) => !/^https?:$/.test(protocol))).toEqual([])
    }
    expect(await session.page.evaluate(() => (globalThis as { pwned?: boolean }).pwned)).toBeUndefined()
    expect(seen).toEqual([])
    expect(session.complaints).toEqual([])
  })

  test("has an address for each route, and shows invisible characters", async () => {
    await session.open("/routes?of=load&limit=1000")
    const addresses = await session.page
      .getByRole("table")
      .locator("tbody th a")
      .evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).pathname))
    expect(new Set(addresses).size).toBe(addresses.length)
    // The server renders all of it, so a browser is not needed.
    await Promise.all(
      addresses.slice(0, 40).map(async (address) => {
        const response = await fetch(session.app.url + address)
        expect(response.status).toBe(200)
        expect(await response.text()).not.toContain("No data for this route")
      }),
    )
    await session.open("/errors?q=hostile%2011")
    expect(await session.page.getByRole("table").innerText()).toContain("\\u{202e}")
  })

  test("in a URL answers with a plain page", async () => {
    const long = "a".repeat(5_000)
    for (const path of [
      "/errors?since=yesterday",
      `/errors?q=${long}`,
      "/errors?sort=DROP&level=x&handled=maybe&limit=0&after=%00",
      "/errors?q=%00",
      "/routes?of=x&since=9d&until=8h",
      "/routes?sort=__proto__&q=%27%3B--",
      "/routes/%E0%A4",
      "/routes/~name",
      "/routes/~~~/%2e%2e",
      `/routes/${long}`,
      "/dropped?stage=x&reason=constructor&after=zz&limit=99999",
      "/dropped?since=2026-01-01&until=2026-13-45T00:00Z",
      `/dropped?after=${toDropCursor({ time: "1", position: 1, batch: "\u2028" })}`,
    ]) {
      const response = await session.page.goto(session.app.url + path)
      expect([200, 400, 404]).toContain(response?.status())
      expect(await session.page.getByText("Application error").count()).toBe(0)
    }
  })
})
