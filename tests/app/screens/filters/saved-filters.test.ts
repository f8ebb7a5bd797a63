import { beforeAll, describe, expect, test } from "vitest"
import { waitFor } from "#tests/support/wait-for.ts"
import { ScreenSession } from "../session/screen-session.ts"
import { seriousFaults } from "../session/serious-faults.ts"

/** Saved filters and watches by their steps, in Chromium with the real store. */
const session = ScreenSession.ofFile()

beforeAll(async () => {
  // The shell of headless Chromium shows no notification, so the page notes what it wanted to show.
  await session.page.addInitScript(() => {
    const shown: string[] = []
    class Noted extends EventTarget {
      static readonly permission = "granted"
      static requestPermission = () => Promise.resolve("granted")
      constructor(title: string, options: { body: string }) {
        super()
        shown.push(`${title}: ${options.body}`)
      }
    }
    Object.assign(globalThis, { Notification: Noted, shownNotifications: shown })
  })
  await session.sendSamples()
})

const notifications = () =>
  session.page.evaluate(() => (globalThis as unknown as { shownNotifications: string[] }).shownNotifications)

async function saveAs(name: string) {
  await session.page.getByText("Saved filters", { exact: true }).click()
  await session.page.getByRole("textbox", { name: "Save this filter as" }).fill(name)
  await session.page.keyboard.press("Enter")
  await session.page.getByText(`Saved “${name}”.`).waitFor()
}

async function savedNames(): Promise<string[]> {
  const { filters } = (await (await fetch(`${session.app.url}/api/filters`)).json()) as { filters: { name: string }[] }
  return filters.map(({ name }) => name)
}

const item = (name: string) =>
  session.page
    .getByRole("list", { name: "Saved filters" })
    .getByRole("listitem")
    .filter({ has: session.page.getByRole("link", { name, exact: true }) })

let sent = 0

/** A trace of a service of its own, which was slow and failed. */
async function sendFailed(service = "watched"): Promise<void> {
  sent += 1
  const id = sent.toString(16)
  const start = BigInt(Date.now() - 5_000) * 1_000_000n
  const span = {
    traceId: id.padStart(32, "e0"),
    spanId: id.padStart(16, "e0"),
    name: "watched",
    kind: 2,
    startTimeUnixNano: String(start),
    endTimeUnixNano: String(start + 900_000_000n),
    status: { code: 2 },
  }
  const resource = { attributes: [{ key: "service.name", value: { stringValue: service } }] }
  const answer = await fetch(`${session.app.url}/v1/traces`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] }),
  })
  expect(answer.status).toBe(200)
}

describe("a saved filter", () => {
  test("of traces, logs and errors is named where it is used, and found there, in the palette and in the list", async () => {
    await session.open("/traces?q=service%3Ashop&since=24h")
    await saveAs("Shop today")
    expect(session.parameters.get("q")).toBe("service:shop")
    await session.open("/logs?q=severity%3E%3Dwarn")
    await saveAs("Loud logs")
    await session.open("/errors?q=charge&level=error")
    await saveAs("Charges")
    await session.open("/errors")
    await session.page.getByText("Saved filters", { exact: true }).click()
    const menu = session.page.getByRole("list", { name: "Saved filters of errors" })
    await menu.getByRole("link", { name: "Charges" }).click()
    await session.page.waitForURL(/level=error/)
    expect(session.parameters.get("q")).toBe("charge")
    await session.page.keyboard.press("Control+k")
    await session.page.getByRole("combobox", { name: "Go to" }).fill("shop today")
    await session.page.getByRole("option", { name: "Shop today", exact: true }).click()
    await session.page.waitForURL(/\/traces\?/)
    expect(Object.fromEntries(session.parameters)).toEqual({ q: "service:shop", since: "24h" })
    await session.open("/filters")
    expect(await session.page.getByRole("list", { name: "Saved filters" }).getByRole("link").allInnerTexts()).toEqual([
      "Charges",
      "Loud logs",
      "Shop today",
    ])
    await item("Loud logs").getByText("Logs severity>=warn").waitFor()
  })

  test("is renamed and deleted, and keeps its name where another has the new one", async () => {
    await session.open("/filters")
    const rename = async (from: string, to: string) => {
      await item(from)
        .getByRole("button", { name: `Rename ${from}` })
        .click()
      await item(from).getByRole("textbox", { name: "Name" }).fill(to)
      await session.page.keyboard.press("Enter")
    }
    await rename("Loud logs", "Charges")
    await session.page.getByRole("alert").getByText('Another filter has the name "Charges".').waitFor()
    await item("Loud logs").getByRole("textbox", { name: "Name" }).fill("Warnings")
    await session.page.keyboard.press("Enter")
    await item("Warnings").waitFor()
    await item("Charges").getByRole("button", { name: "Delete Charges" }).click()
    await item("Charges").waitFor({ state: "detached" })
    expect(await savedNames()).toEqual(["Shop today", "Warnings"])
  })

  test("is changed by requests of the same origin only, and refused with the reason", async () => {
    const { url } = session.app
    const post = (body: object, headers: Record<string, string> = {}) =>
      fetch(`${url}/api/filters`, { method: "POST", headers, body: JSON.stringify(body) })
    const filter = { name: "by script", screen: "traces", parameters: { q: "status:error" } }
    expect((await post(filter, { origin: "http://localhost:9" })).status).toBe(403)
    expect((await post({ ...filter, more: 1 })).status).toBe(400)
    const refused = await post({ ...filter, parameters: { q: "duration>fast" } })
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({ message: expect.stringContaining("The filter is invalid") as string })
    const saved = (await (await post(filter)).json()) as { filter: { id: string } }
    expect(saved.filter).toMatchObject({ ...filter, address: "/traces?q=status%3Aerror", watch: null, assert: null })
    const remove = (headers: Record<string, string> = {}) =>
      fetch(`${url}/api/filters/${saved.filter.id}`, { method: "DELETE", headers })
    expect((await remove({ origin: "http://localhost:9" })).status).toBe(403)
    expect((await remove()).status).toBe(204)
    expect((await remove()).status).toBe(404)
  })
})

describe("a watch", () => {
  test("trips: the title and the top bar have the number, the overview the value, and the browser notifies once", async () => {
    const { page } = session
    await session.open("/traces?q=service%3Awatched")
    await saveAs("Watched failures")
    await page.getByRole("link", { name: "All saved filters and watches" }).click()
    await page.getByRole("switch", { name: "Notify in this browser when a watch trips" }).click()
    await item("Watched failures").getByRole("button", { name: "Watch Watched failures" }).click()
    await page.getByRole("combobox", { name: "Measure" }).selectOption("p95")
    await page.getByRole("spinbutton", { name: "Above (ms)" }).fill("800")
    await page.getByRole("combobox", { name: "In the last" }).selectOption("5m")
    await page.getByRole("button", { name: "Start watching" }).click()
    await item("Watched failures").getByText("OK: no traces").waitFor()
    await item("Watched failures").getByText("p95 of duration above 800 ms in 5m").waitFor()
    const command = await item("Watched failures").locator("code").last().innerText()
    expect(command).toBe(
      "pagespan assert 'service:watched' --own hide --since 5m --within 0s --count '>=0' --max-p95 800ms",
    )
    expect(await page.title()).toBe("Saved filters · Pagespan")
    await sendFailed()
    await item("Watched failures").getByText("Tripped: 900 ms").waitFor()
    await page.getByRole("status", { name: "Tripped watches" }).getByRole("link", { name: /^1/ }).waitFor()
    expect(await page.title()).toBe("(1) Saved filters · Pagespan")
    expect((await notifications()).map((text) => text.replaceAll("\u00a0", " "))).toEqual([
      "Watched failures: 900 ms, above 800 ms in 5m",
    ])
    expect(await seriousFaults(page)).toEqual([])
    await page.getByRole("navigation", { name: "Screens" }).getByRole("link", { name: "Overview" }).click()
    const row = page.getByRole("table", { name: "Watches" }).getByRole("row", { name: /Watched failures/ })
    await row.getByText("Tripped: 900 ms").waitFor()
    await waitFor("the number in the title", async () => /^\(1\) .*Pagespan$/.test(await page.title()))
    expect(await seriousFaults(page)).toEqual([])
    await row.getByRole("link", { name: "Watched failures" }).click()
    await page.waitForURL(/\/traces\?q=service%3Awatched&since=5m/)
    expect(await notifications()).toHaveLength(1)
  })

  test("notifies while the tab is hidden, when the live feed is closed", async () => {
    const { page } = session
    const body = JSON.stringify({
      name: "Seen from elsewhere",
      screen: "traces",
      parameters: { q: "service:elsewhere" },
      watch: { measure: "count", above: 0, window: "15m" },
    })
    expect((await fetch(`${session.app.url}/api/filters`, { method: "POST", body })).status).toBe(200)
    await session.open("/filters")
    await item("Seen from elsewhere").getByText("OK: 0").waitFor()
    const connected = page.waitForRequest(/\/live\?watches=only$/)
    await page.evaluate(() => {
      Object.defineProperty(document, "visibilityState", { configurable: true, get: () => "hidden" })
      document.dispatchEvent(new Event("visibilitychange"))
    })
    await connected
    await sendFailed("elsewhere")
    await waitFor("the notification", async () =>
      (await notifications()).some((text) => text.startsWith("Seen from elsewhere")),
    )
  })

  test("that stops takes its number with it", async () => {
    await session.open("/filters")
    for (const name of ["Watched failures", "Seen from elsewhere"])
      await item(name)
        .getByRole("button", { name: `Stop watching ${name}` })
        .click()
    await waitFor("the title", async () => (await session.page.title()) === "Saved filters · Pagespan")
    await item("Watched failures").getByRole("button", { name: "Watch Watched failures" }).waitFor()
  })
})

test("no page violated the content security policy or logged an error", () => {
  expect(session.complaints.filter((text) => !/status of 4\d\d/.test(text))).toEqual([])
})
