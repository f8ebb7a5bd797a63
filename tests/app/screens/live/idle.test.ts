import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { sleep, waitFor } from "#tests/support/wait-for.ts"
import { openScreen } from "../session/open-screen.ts"
import { ListApp } from "../session/list-app.ts"

/** What an open screen requests while only its own requests are traced, in Chromium with the real store. */

/** A screen refreshes soon after it is opened, and once more 8 s later. */
const SETTLED_MS = 12_000
/** Shorter than the minute after which every screen refreshes. */
const WATCHED_MS = 20_000

let list: ListApp
beforeAll(async () => {
  list = await ListApp.start()
  await list.send({ trace: 1, id: 1, name: "/cart", service: "shop" })
})
afterAll(() => list.stop())

/** Requests that refresh the page. */
function refreshesOf(page: Page): string[] {
  const refreshes: string[] = []
  page.on("request", (request) => {
    const url = new URL(request.url())
    if (!url.searchParams.has("_rsc")) return
    url.searchParams.delete("_rsc")
    // Others are prefetched.
    if (url.href === page.url()) refreshes.push(url.href)
  })
  return refreshes
}

test("screens that hide Pagespan's own telemetry request nothing while only that arrives", async () => {
  // Each in a context of its own: tabs of one share six connections.
  const opened = await Promise.all(
    ["/", "/traces", "/services", "/services/shop", "/errors", "/dropped", "/runs"].map(async (path) => {
      const page = await (await list.browser.newContext()).newPage()
      await openScreen(page, list.app.url + path)
      return { page, path, refreshes: refreshesOf(page) }
    }),
  )
  await sleep(SETTLED_MS)
  // So that the absence of later ones is no accident.
  expect(opened.filter(({ refreshes }) => refreshes.length === 0).map(({ path }) => path)).toEqual([])
  for (const { refreshes } of opened) refreshes.length = 0
  await sleep(WATCHED_MS)
  expect(opened.flatMap(({ refreshes }) => refreshes)).toEqual([])
  await list.send({ trace: 2, id: 2, name: "/cart", service: "shop" })
  for (const { page, path, refreshes } of opened) {
    await waitFor(`a refresh of ${path}`, () => refreshes.length > 0)
    await page.context().close()
  }
})

test("a list that shows Pagespan's own telemetry does not refresh itself at its full rate", async () => {
  await list.open("/traces?own=show")
  const refreshes = refreshesOf(list.page)
  await sleep(SETTLED_MS)
  refreshes.length = 0
  await sleep(WATCHED_MS)
  expect(refreshes.length).toBeGreaterThan(0)
  // At most every 15 s, instead of every 3 s.
  expect(refreshes.length).toBeLessThanOrEqual(2)
})

test("Dropped data shows what is refused while it is open, though nothing else arrives", async () => {
  await list.open("/dropped")
  await sleep(SETTLED_MS)
  const refused = await fetch(`${list.app.url}/v1/traces`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{",
  })
  expect(refused.status).toBe(400)
  await list.page.getByRole("row").getByText("malformed").first().waitFor()
})

test("a list shows a trace that arrives after it was queried and before its live connection is open", async () => {
  const { page } = list
  let connect = (): void => undefined
  const held = new Promise<void>((resolve) => (connect = resolve))
  await page.route("**/live?*", async (route) => {
    await held
    await route.continue()
  })
  // Not `list.open`, which waits for the connection.
  await page.goto(`${list.app.url}/traces`)
  await list.send({ trace: 3, id: 3, name: "/late", service: "shop" })
  connect()
  await page.getByRole("link", { name: "/late" }).waitFor()
  await page.unroute("**/live?*")
  await openScreen(page, `${list.app.url}/`)
})
