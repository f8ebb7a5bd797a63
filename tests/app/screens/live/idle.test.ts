import { afterAll, beforeAll, expect, test } from "vitest"
import { sleep, waitFor } from "#tests/support/wait-for.ts"
import { openScreen } from "../session/open-screen.ts"
import { ListApp } from "../session/list-app.ts"

/** What an open screen requests while only its own requests are traced, in Chromium with the real store. */

/** Longer than between the two refreshes of a screen that was just opened, and shorter than between those for internal telemetry. */
const QUIET_MS = 12_000
const WATCHED_MS = 20_000
/** Every screen refreshes once a minute. */
const IDLE_MS = 60_000

let list: ListApp
beforeAll(async () => {
  list = await ListApp.start()
  await list.send({ trace: 1, id: 1, name: "/cart", service: "shop" })
})
afterAll(() => list.stop())

/** Opens a screen in a context of its own, since tabs of one share six connections, and records when it requests what it shows. */
async function watch(path: string) {
  const page = await (await list.browser.newContext()).newPage()
  const openedAt = Date.now()
  const refreshes: number[] = []
  page.on("request", (request) => {
    if (new URL(request.url()).searchParams.has("_rsc")) refreshes.push(Date.now() - openedAt)
  })
  await openScreen(page, list.app.url + path)
  const isQuiet = () => Date.now() - openedAt - (refreshes.at(-1) ?? Number.POSITIVE_INFINITY) > QUIET_MS
  await waitFor(`${path} to be quiet`, isQuiet, 120_000)
  return { page, path, refreshes, watchedFrom: refreshes.length }
}

test("screens that hide Pagespan's own telemetry request nothing while only that arrives", async () => {
  const paths = ["/", "/traces", "/services", "/services/shop", "/errors", "/dropped", "/runs"]
  const watched = await Promise.all(paths.map(watch))
  await sleep(WATCHED_MS)
  const later = watched.flatMap(({ path, refreshes, watchedFrom }) =>
    refreshes.slice(watchedFrom).flatMap((ms) => (ms < IDLE_MS ? `${path} after ${ms} ms` : [])),
  )
  expect(later).toEqual([])
  const known = watched.map(({ refreshes }) => refreshes.length)
  await list.send({ trace: 2, id: 2, name: "/cart", service: "shop" })
  await waitFor("all to refresh", () => watched.every(({ refreshes }, index) => refreshes.length > (known[index] ?? 0)))
  await Promise.all(watched.map(({ page }) => page.context().close()))
})

test("a list that shows Pagespan's own telemetry does not refresh itself at its full rate", async () => {
  const { page, refreshes, watchedFrom } = await watch("/traces?own=show")
  await sleep(WATCHED_MS)
  const later = refreshes.length - watchedFrom
  expect(later).toBeGreaterThan(0)
  // At most every 15 s, instead of every 3 s.
  expect(later).toBeLessThanOrEqual(2)
  await page.context().close()
})

test("Dropped data shows what is refused while it is open, though nothing else arrives", async () => {
  const { page } = await watch("/dropped")
  const refused = await fetch(`${list.app.url}/v1/traces`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{",
  })
  expect(refused.status).toBe(400)
  await page.getByRole("row").getByText("malformed").first().waitFor()
  await page.context().close()
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
