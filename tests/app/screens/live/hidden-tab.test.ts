import { afterAll, beforeAll, expect, test } from "vitest"
import { openScreen } from "../session/open-screen.ts"
import { hideTab, showTab } from "../session/hidden-tab.ts"
import { ListApp, traceIdOf } from "../session/list-app.ts"

/** Screens in a tab that is hidden for a while, in Chromium with the real store. The live feed is closed meanwhile. */

let list: ListApp
beforeAll(async () => {
  list = await ListApp.start()
})
afterAll(() => list.stop())

test("Connect shows the first span of an application that arrived before its live connection was open", async () => {
  const page = await list.browser.newPage()
  let connect = (): void => undefined
  const held = new Promise<void>((resolve) => (connect = resolve))
  await page.route("**/live?*", async (route) => {
    await held
    await route.continue()
  })
  await page.goto(`${list.app.url}/connect`)
  await page.getByText("Waiting for your first span").waitFor()
  await list.send({ trace: 1, id: 1, name: "/early", service: "shop", agoMs: 60_000 })
  connect()
  await page.getByText("Receiving data.").waitFor()
  await page.getByRole("link", { name: "/early" }).waitFor()
  await page.context().close()
})

test("Connect shows the latest span of an application that arrived in a hidden tab", async () => {
  const page = await list.browser.newPage()
  await openScreen(page, `${list.app.url}/connect`)
  await page.getByRole("link", { name: "/early" }).waitFor()
  await list.post([{ trace: 2, id: 2, name: "/live", service: "shop", agoMs: 30_000 }])
  await page.getByRole("link", { name: "/live" }).waitFor()
  await hideTab(page)
  await list.send({ trace: 3, id: 3, name: "/unseen", service: "shop" })
  await showTab(page)
  await page.getByRole("link", { name: "/unseen" }).waitFor()
  await page.context().close()
})

test("a screen in a hidden tab is not refreshed before the inspector has answered", async () => {
  const page = await list.browser.newPage()
  const requested: string[] = []
  page.on("request", (request) => {
    const { pathname, searchParams } = new URL(request.url())
    requested.push(searchParams.has("_rsc") ? "refresh" : pathname)
  })
  await openScreen(page, `${list.app.url}/traces`)
  // A refresh is due some seconds after the screen was opened, for what arrived before its live connection was open.
  await page.route("**/health", (route) => route.abort())
  await hideTab(page)
  expect(await page.getByLabel("Live connection").innerText()).toBe("Connecting")
  const seen = requested.length
  await page.waitForRequest((request) => new URL(request.url()).pathname === "/health")
  expect(requested.slice(seen)).not.toContain("refresh")
  await page.context().close()
})

test("a trace offers the spans that arrived in a hidden tab, and those that arrived before its live connection was open", async () => {
  const page = await list.browser.newPage()
  await list.send({ trace: 4, id: 40, name: "/slow", service: "shop", lengthMs: 1_000 })
  await openScreen(page, `${list.app.url}/traces/${traceIdOf(4)}`)
  await hideTab(page)
  await list.send({ trace: 4, id: 41, parent: 40, name: "unseen", service: "shop" })
  await showTab(page)
  await page.getByText("1 more span arrived.").waitFor()
  await page.getByRole("button", { name: "Show", exact: true }).click()
  await page.getByRole("row", { name: "unseen" }).waitFor()
  expect(await page.getByText("arrived.").count()).toBe(0)

  let connect = (): void => undefined
  const held = new Promise<void>((resolve) => (connect = resolve))
  await page.route("**/live?*", async (route) => {
    await held
    await route.continue()
  })
  await page.goto(`${list.app.url}/traces/${traceIdOf(4)}`)
  await list.send(
    { trace: 4, id: 42, parent: 40, name: "early", service: "shop" },
    { trace: 4, id: 43, parent: 40, name: "early", service: "shop" },
  )
  connect()
  await page.getByText("2 more spans arrived.").waitFor()
  await page.context().close()
})
