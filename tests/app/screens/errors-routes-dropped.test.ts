import { describe, expect, test } from "vitest"
import { notFoundStatus } from "#tests/app/not-found.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { hexId } from "./samples/hex-id.ts"
import { ScreenSession } from "./session/screen-session.ts"

/** The screens of errors, routes, drops and connecting, on the built app with a real store. */
const session = ScreenSession.ofFile({
  PAGESPAN_ALLOWED_ORIGINS: "https://shop.example",
  PAGESPAN_FORWARD_OTLP: "http://user:password@127.0.0.1:9/secret-path",
  PAGESPAN_FORWARD_SENTRY: "https://secretkey@sentry.example/42",
})

describe("before any data has arrived", () => {
  test("the connect screen waits for the first span of an application and reports it live", async () => {
    await session.open("/connect")
    await session.page.getByText("Waiting for your first span").waitFor()
    await session.sendSamples()
    await session.page.getByText("Receiving data.").waitFor()
  })
})

describe("the errors", () => {
  test("are grouped, each with events, users, route, level and trend", async () => {
    await session.open("/errors")
    const row = session.rows("Errors by fingerprint").filter({ hasText: "TypeError: Cannot read properties" })
    const text = (await row.innerText()).replace(/\s+/g, " ")
    expect(text).toContain("/checkout")
    expect(text).toMatch(/unhandled/)
    expect(await row.getByRole("cell").allInnerTexts()).toEqual(expect.arrayContaining(["5", "3"]))
    expect(
      (await row
        .getByRole("img")
        .getAttribute("aria-label")
        .catch(() => null)) ?? (await row.locator("svg title").innerHTML()),
    ).toContain("5 events")
  })

  test("are filtered by text, level and handled state, and sorted, all in the URL", async () => {
    await session.open("/errors")
    await session.page.getByRole("searchbox").fill("QueryError")
    await session.page.getByRole("button", { name: "Filter" }).click()
    await session.page.waitForURL(/q=QueryError/)
    await waitFor("one row", async () => (await session.rows("Errors by fingerprint").count()) === 2)
    await session.open("/errors?level=warning")
    expect(await session.rows("Errors by fingerprint").count()).toBe(2)
    await session.open("/errors?handled=yes&sort=count")
    expect(await session.page.getByRole("columnheader", { name: "Events" }).getAttribute("aria-sort")).toBe(
      "descending",
    )
  })

  test("appear live, also without a span", async () => {
    await session.open("/errors")
    const before = await session.rows("Errors by fingerprint").count()
    await session.page.mouse.move(5, 5)
    await sendFreshError("fresh")
    await session.page.getByText("FreshError: just now").waitFor()
    expect(await session.rows("Errors by fingerprint").count()).toBe(before + 1)
  })

  test("and so do new events of an open issue", async () => {
    await session.page.getByRole("link", { name: /^FreshError/ }).click()
    await session.page.getByText("Newest event of 1").waitFor()
    await session.page.mouse.move(5, 5)
    await sendFreshError("fresher")
    await session.page.getByText("Newest event of 2").waitFor()
  })
})

describe("one error", () => {
  test("shows its chain of causes, application frames with source, and folded library frames", async () => {
    await session.open("/errors/ISSUE")
    const exception = session.page.getByRole("region", { name: "Exception" })
    expect(await exception.getByRole("heading", { level: 3 }).allInnerTexts()).toEqual([
      expect.stringContaining("TypeError"),
      expect.stringMatching(/caused by\s+ConnectionError/),
    ])
    await exception.getByText("return cart.card.charge(total)").first().waitFor()
    expect(await exception.getByText("in app").count()).toBeGreaterThan(0)
    await exception.getByText("2 library frames").click()
    await exception.getByText("dispatch").waitFor()
  })

  test("shows its position in the trace and links to the selected span", async () => {
    await session.open("/errors/ISSUE")
    const link = session.page.getByRole("link", { name: "Open trace at this span" })
    const href = (await link.getAttribute("href")) ?? ""
    expect(href).toMatch(/^\/traces\/[0-9a-f]{32}\?span=[0-9a-f]{16}$/)
    await session.page.getByRole("region", { name: "Trace" }).getByText("here", { exact: true }).waitFor()
    await link.click()
    await session.page.waitForURL(/\/traces\//)
    expect(session.parameters.get("span")).toBe(href.slice(-16))
  })

  test("is placed on the time axis of its ancestors, also when a span outlives its parent", async () => {
    const trace = hexId("outlived", 32)
    const start = BigInt(Date.now() - 5_000) * 1_000_000n
    const at = (ms: number) => String(start + BigInt(ms) * 1_000_000n)
    const span = (name: string, parent: string | undefined, from: number, to: number, events: object[] = []) => ({
      traceId: trace,
      spanId: hexId(name, 16),
      ...(parent !== undefined && { parentSpanId: hexId(parent, 16) }),
      name,
      startTimeUnixNano: at(from),
      endTimeUnixNano: at(to),
      events,
    })
    const exception = {
      name: "exception",
      timeUnixNano: at(900),
      attributes: [{ key: "exception.type", value: { stringValue: "OutlivedError" } }],
    }
    const spans = [
      span("answer", undefined, 0, 100),
      span("page", "answer", 0, 1_000),
      span("call", "page", 500, 900, [exception]),
    ]
    await fetch(`${session.app.url}/v1/traces`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }),
    })
    await session.open("/errors")
    await session.page.getByRole("link", { name: "OutlivedError" }).click()
    const bars = session.page.getByRole("region", { name: "Trace" }).locator("li rect:nth-of-type(2)")
    await waitFor("three bars", async () => (await bars.count()) === 3)
    const drawn = await bars.evaluateAll((all) => all.map((bar) => [bar.getAttribute("x"), bar.getAttribute("width")]))
    expect(drawn).toEqual([
      ["0%", "10%"],
      ["0%", "100%"],
      ["50%", "40%"],
    ])
  })

  test("links to older and newer events and shows its position among them", async () => {
    await session.open("/errors/ISSUE")
    await session.page.getByText("Newest event of 5").waitFor()
    await session.page.getByRole("link", { name: "← Older" }).click()
    await session.page.getByText("Event 2 of 5").waitFor()
    expect(session.parameters.get("event")).toMatch(/^[0-9a-f]{32}$/)
    await session.page.getByRole("link", { name: "Newer →" }).click()
    await session.page.getByText("Newest event of 5").waitFor()
  })

  test("shows breadcrumbs, request, tags, contexts and releases, and is copied as text", async () => {
    await session.open("/errors/ISSUE")
    for (const [part, text] of [
      ["Breadcrumbs", "button#pay"],
      ["Request", "http://shop.example/checkout"],
      ["Tags", "Firefox 140"],
      ["Contexts", "Firefox"],
    ] as const)
      await session.page.getByRole("region", { name: part, exact: true }).getByText(text).first().waitFor()
    await session.page.getByText("shop@1.0, shop@1.1").waitFor()
    await session.page.getByRole("button", { name: "Copy as text" }).click()
    const copied = await session.page.evaluate(() => navigator.clipboard.readText())
    expect(copied).toContain("TypeError: Cannot read properties of undefined (reading 'charge')")
    expect(copied).toContain("at pay (src/checkout/pay.ts:12:7) [in app]")
    expect(copied).toContain("caused by ConnectionError: card service refused")
  })

  test("in the browser links to the server error with the same digest", async () => {
    const [echo] = await session.issues("?q=Server%20Components")
    await session.open(`/errors/${echo?.issueId}`)
    await session.page.getByText("with the same digest").waitFor()
    await session.page.getByRole("link", { name: "QueryError: relation items does not exist" }).first().click()
    await session.page.getByRole("heading", { level: 1, name: "QueryError: relation items does not exist" }).waitFor()
  })

  test("that is unknown or has an invalid ID answers with a not-found page and status 404", async () => {
    expect((await fetch(`${session.app.url}/api/errors/${"0".repeat(32)}`)).status).toBe(404)
    for (const id of ["0".repeat(32), "nonsense", "..%2f"]) {
      const response = await session.open(`/errors/${id}`)
      expect(notFoundStatus(response?.status(), (await response?.text()) ?? "")).toBe(404)
    }
    await session.open(`/errors/${"0".repeat(32)}`)
    await session.page.getByRole("heading", { name: "Error not found" }).waitFor()
  })
})

describe("the routes", () => {
  test("show counts, percentiles, error rates and rated web vitals", async () => {
    await session.open("/routes")
    const row = session.rows("Routes by page loads").filter({ hasText: "/items/[id]" })
    expect((await row.innerText()).replace(/\s+/g, " ")).toMatch(/\/items\/\[id\] 24 6 30 .* s .* %/)
    expect(await row.getByText("needs improvement").count()).toBeGreaterThan(0)
    await session.page.getByRole("link", { name: /^Requests/ }).click()
    await session.page.getByRole("table", { name: "Routes by requests" }).waitFor()
    expect(session.parameters.get("of")).toBe("request")
  })

  test("link to their own screen and back, whatever their names contain", async () => {
    await session.open("/routes")
    await session.page.getByRole("link", { name: "/docs/[...slug]" }).click()
    await session.page.getByRole("heading", { level: 1, name: "/docs/[...slug]" }).waitFor()
    expect(new URL(session.page.url()).pathname).toBe("/routes/docs/%5B...slug%5D")
    await session.page.getByRole("link", { name: "← All routes" }).click()
    await session.page.getByRole("link", { name: "/", exact: true }).click()
    await session.page.getByRole("heading", { level: 1, name: "/", exact: true }).waitFor()
  })

  test("show a distribution, trends, vitals with thresholds, slowest traces and child spans", async () => {
    await session.open("/routes/items/%5Bid%5D")
    for (const name of [
      "Page loads over time",
      "Duration over time",
      "Distribution of durations",
      "Largest Contentful Paint over time",
    ])
      await session.page.getByRole("figure", { name }).locator("canvas").waitFor()
    await session.page.getByText(/24 page loads: 18 good, 6 needs improvement, 0 poor/).waitFor()
    expect(await session.rows("Slowest page loads").count()).toBe(11)
    await session.rows("Child spans in the latest 24 traces").filter({ hasText: "SELECT items" }).waitFor()
  })

  test("are filtered to a brushed time range, by pointer or keyboard", async () => {
    await session.open("/routes/items/%5Bid%5D?since=1h")
    const chart = session.page.getByRole("application", { name: /^Page loads over time/ })
    await chart.locator("canvas").waitFor()
    const box = (await chart.boundingBox())!
    await session.page.mouse.move(box.x + box.width * 0.4, box.y + 40)
    await session.page.mouse.down()
    await session.page.mouse.move(box.x + box.width * 0.7, box.y + 40, { steps: 5 })
    await session.page.mouse.up()
    await session.page.waitForURL(/until=/)
    const brushed = Date.parse(session.parameters.get("until")!) - Date.parse(session.parameters.get("since")!)
    expect(brushed).toBeGreaterThan(10 * 60_000)
    expect(brushed).toBeLessThan(30 * 60_000)
    await session.open("/routes/items/%5Bid%5D?since=1h")
    await chart.locator("canvas").waitFor()
    await chart.focus()
    for (const key of ["End", "Shift+ArrowLeft", "Shift+ArrowLeft", "Enter"]) await session.page.keyboard.press(key)
    await session.page.waitForURL(/until=/)
  })

  test("without data say so, and the read API answers the same figures", async () => {
    await session.open("/routes/never/seen")
    await session.page.getByText("No data for this route in this time range").waitFor()
    const { routes } = (await (await fetch(`${session.app.url}/api/routes?q=checkout`)).json()) as {
      routes: { route: string; times: { load: { count: number } } }[]
    }
    expect(routes).toMatchObject([{ route: "/checkout", times: { load: { count: 24 } } }])
  })
})

describe("dropped data", () => {
  test("is shown by stage and reason, over time, with samples and advice", async () => {
    await session.open("/dropped")
    await session.page.getByRole("figure", { name: "Dropped records over time by reason" }).locator("canvas").waitFor()
    const group = session.page.getByRole("listitem").filter({ hasText: "Content type is neither protobuf nor JSON" })
    expect(await group.innerText()).toMatch(/OTEL_EXPORTER_OTLP_PROTOCOL[\s\S]*text\/plain/)
    await group.getByRole("link", { name: "bad_media_type" }).click()
    await session.page.waitForURL(/reason=bad_media_type/)
    await waitFor("one record", async () => (await session.rows("Events").count()) === 2)
  })

  test("is paginated", async () => {
    await session.open("/dropped?limit=1")
    const first = await session.rows("Events").nth(1).innerText()
    await session.page.getByRole("link", { name: "Next page →" }).click()
    await session.page.waitForURL(/after=/)
    expect(await session.rows("Events").nth(1).innerText()).not.toBe(first)
    await session.page.getByRole("link", { name: "← First page" }).click()
    await session.page.waitForURL((url) => !url.searchParams.has("after"))
  })
})

describe("the connect screen", () => {
  test("shows allowed origins and forwarding targets without secrets", async () => {
    await session.open("/connect")
    expect(await session.page.getByRole("list", { name: "Allowed origins" }).innerText()).toBe("https://shop.example")
    const on = await session.page.getByRole("list", { name: "Forwarding targets" }).innerText()
    expect(on).toContain("http://127.0.0.1:9")
    expect(on).toContain("sentry.example")
    expect(await session.page.content()).not.toMatch(/secretkey|password@|secret-path/)
  })
})

test("no page violated the content security policy or logged an error", () => {
  const unexpected = session.complaints.filter((text) => !text.includes("the server responded with a status of 404"))
  expect(unexpected).toEqual([])
})

/** One error of a new issue, without a span. */
async function sendFreshError(name: string): Promise<void> {
  const id = hexId(name, 32)
  const exception = { values: [{ type: "FreshError", value: "just now" }] }
  const body = [{ event_id: id }, { type: "event" }, { event_id: id, timestamp: Date.now() / 1_000, exception }]
  await fetch(`${session.app.url}/api/1/envelope/`, {
    method: "POST",
    body: body.map((part) => JSON.stringify(part)).join("\n"),
  })
}
