import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { waitFor } from "#tests/support/wait-for.ts"
import { ListApp } from "../session/list-app.ts"

/** What links between screens lead to, in Chromium with the real store. */
let list: ListApp
const HOUR = 3_600_000

beforeAll(async () => {
  list = await ListApp.start()
})
afterAll(() => list.stop())

async function issueId(title: string): Promise<string> {
  const found = async () => {
    const answer = await fetch(`${list.app.url}/api/errors?q=${title}`)
    return ((await answer.json()) as { issues: { issueId: string; count: number }[] }).issues[0]
  }
  return (await waitFor(`the issue ${title}`, found)).issueId
}

describe("a link to an event of an issue", () => {
  const EVENTS = 105
  const idOf = (number: number) => number.toString(16).padStart(32, "e0")
  let address: string

  beforeAll(async () => {
    const send = async (number: number) => {
      const event = {
        event_id: idOf(number),
        timestamp: Date.now() / 1_000 - 1_000 + number,
        exception: { values: [{ type: "OftenError", value: "again" }] },
        request: { url: `http://shop.example/visit/${number}` },
      }
      const body = [{ event_id: event.event_id }, { type: "event" }, event].map((part) => JSON.stringify(part))
      await fetch(`${list.app.url}/api/1/envelope/`, { method: "POST", body: body.join("\n") })
    }
    for (let number = 0; number < EVENTS; number += 1) await send(number)
    address = `/errors/${await issueId("OftenError")}`
    await waitFor("all events", async () => {
      const { count } = (await (await fetch(`${list.app.url}/api${address}`)).json()) as { count: number }
      return count === EVENTS
    })
  })

  test("shows that event, also when it is older than the newest hundred", async () => {
    await list.open(`${address}?event=${idOf(2)}`)
    await list.page.getByRole("region", { name: "Request" }).getByText("http://shop.example/visit/2").waitFor()
    await list.page.getByText(`Older event of ${EVENTS}, the newest 100 can be opened in order`).waitFor()
    await list.page.getByRole("link", { name: "Newer →" }).click()
    await list.page.getByText(`Event 100 of ${EVENTS}`).waitFor()
  })

  test("says so when the event is not stored, and shows the newest", async () => {
    await list.open(`${address}?event=${"f".repeat(32)}`)
    await list.page.getByRole("list", { name: "Notices" }).getByText("is not stored").waitFor()
    await list.page.getByText(`Newest event of ${EVENTS}`).waitFor()
    await list.open(address)
    expect(await list.page.getByRole("list", { name: "Notices" }).count()).toBe(0)
  })
})

describe("the errors of a service", () => {
  /** A span that failed with an exception, as OTLP/JSON. */
  async function sendFailed(type: string, agoMs: number): Promise<void> {
    const time = `${Date.now() - agoMs}000000`
    const text = (key: string, stringValue: string) => ({ key, value: { stringValue } })
    const span = {
      traceId: Buffer.from(type.padEnd(16)).toString("hex"),
      spanId: Buffer.from(type.padEnd(8).slice(0, 8)).toString("hex"),
      name: "GET /timed",
      kind: 2,
      startTimeUnixNano: time,
      endTimeUnixNano: time,
      events: [{ name: "exception", timeUnixNano: time, attributes: [text("exception.type", type)] }],
    }
    const resource = { attributes: [text("service.name", "timed")] }
    await fetch(`${list.app.url}/v1/traces`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] }),
    })
    await issueId(type)
  }

  test("in a time window are those of the window, on its screen and where its link leads, whatever is filtered", async () => {
    await sendFailed("InWindowError", 2 * HOUR)
    await sendFailed("LatestError", 60_000)
    const { page } = list
    await list.open("/services/timed?since=3h&until=1h")
    const latest = page.getByRole("table", { name: "Latest errors" })
    await latest.getByText("InWindowError").waitFor()
    expect(await latest.getByText("LatestError").count()).toBe(0)
    await page.getByRole("link", { name: "All errors", exact: true }).click()
    await page.waitForURL(/\/errors\?/)
    const window = list.parameters
    expect(window).toEqual({
      service: "timed",
      since: expect.any(String) as string,
      until: expect.any(String) as string,
    })
    const errors = page.getByRole("table", { name: "Errors by fingerprint" })
    await errors.getByText("InWindowError").waitFor()
    expect(await errors.getByText("LatestError").count()).toBe(0)
    await page.getByRole("searchbox").fill("Error")
    await page.getByRole("button", { name: "Filter", exact: true }).click()
    await page.waitForURL(/q=Error/)
    expect(list.parameters).toMatchObject({ ...window, q: "Error" })
  })
})

describe("a route", () => {
  test("whose spans have it as their name alone leads to its traces", async () => {
    await list.send({
      trace: 1,
      id: 1,
      name: "/plain",
      service: "shop",
      agoMs: 5_000,
      attributes: { "sentry.op": "pageload" },
    })
    await list.open("/routes/plain")
    await list.page.getByRole("link", { name: "View traces" }).click()
    await list.page.waitForURL(/\/traces\?/)
    await list.shows(["/plain"])
    await list.open("/routes/plain")
    const compare = await list.page.getByRole("link", { name: "Compare", exact: true }).getAttribute("href")
    expect(new URL(compare ?? "", list.app.url).searchParams.get("b")).toBe(
      "{sentry.op:pageload (route:/plain OR name=/plain)}",
    )
  })
})

describe("the list of traces", () => {
  test("of a service that its filter has already keeps the filter", async () => {
    await list.open("/traces?q=service:shop&service=shop")
    expect(list.parameters).toEqual({ q: "service:shop" })
  })

  test("with as many terms as a filter may have is live, and loads older rows", async () => {
    const send = (number: number, agoMs: number) =>
      list.send({ trace: number, id: number, name: `visit ${number}`, service: "many", agoMs })
    await send(11, 3_000)
    await send(12, 2_000)
    const terms = ["service:many", ...Array.from({ length: 59 }, (_, term) => `-name:other${term}`)]
    await list.open(`/traces?${new URLSearchParams({ q: terms.join(" "), limit: "1", own: "hide" })}`)
    await list.shows(["visit 12", "visit 11"])
    await list.page.mouse.move(5, 5)
    await send(13, 0)
    await list.shows(["visit 13", "visit 12", "visit 11"])
  })
})

test("a palette that closes gives the focus back", async () => {
  await list.open("/runs")
  const name = list.page.getByRole("textbox", { name: "Name" })
  await name.focus()
  await list.page.keyboard.press("Control+k")
  await list.page.getByRole("combobox", { name: "Go to" }).waitFor()
  await list.page.keyboard.press("Control+k")
  await list.page.getByRole("dialog", { name: "Go to" }).waitFor({ state: "detached" })
  expect(await name.evaluate((element) => element === document.activeElement)).toBe(true)
})

test("no page violated the content security policy or threw an error", () => {
  expect(list.violations).toEqual([])
})
