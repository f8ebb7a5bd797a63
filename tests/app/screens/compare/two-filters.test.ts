import { beforeAll, describe, expect, test } from "vitest"
import { waitFor } from "#tests/support/wait-for.ts"
import { hexId } from "../samples/hex-id.ts"
import { ScreenSession } from "../session/screen-session.ts"
import { seriousFaults } from "../session/serious-faults.ts"

/** `/compare` by the steps of its tasks, in Chromium with the real store. */
const session = ScreenSession.ofFile()
const VISITS = 30
const HOUR = 3_600_000
const now = Date.now()

const text = (key: string, value: string) => ({ key, value: { stringValue: value } })

/** Requests of one release, with a query each, or four in the second. */
function release(version: string, agoMs: number, lengthMs: (visit: number) => number, queries: number): object {
  const spans = Array.from({ length: VISITS }, (_, visit) => {
    const trace = `${version} ${visit}`
    const start = now - agoMs + visit * 1_000
    const span = (name: string, kind: number, ms: number, more: object) => ({
      traceId: hexId(trace, 32),
      name,
      kind,
      startTimeUnixNano: `${start}000000`,
      endTimeUnixNano: `${start + ms}000000`,
      ...more,
    })
    const root = hexId(`${trace} root`, 16)
    return [
      span("GET /checkout", 2, lengthMs(visit), { spanId: root, attributes: [text("http.route", "/checkout")] }),
      ...Array.from({ length: queries }, (__, query) =>
        span("SELECT prices", 3, 4, { spanId: hexId(`${trace} ${query}`, 16), parentSpanId: root }),
      ),
      span("GET /health", 2, 5, { spanId: hexId(`${trace} health`, 16), attributes: [text("http.route", "/health")] }),
    ]
  }).flat()
  const resource = { attributes: [text("service.name", "web"), text("service.version", version)] }
  return { resource, scopeSpans: [{ spans }] }
}

beforeAll(async () => {
  const resourceSpans = [
    release("2.13.0", 3 * HOUR, (visit) => 100 + visit, 1),
    release("2.14.0", 20 * 60_000, (visit) => 180 + visit, 4),
  ]
  const answer = await fetch(`${session.app.url}/v1/traces`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ resourceSpans }),
  })
  if (!answer.ok) throw new Error(`the traces were refused: ${answer.status}`)
  await waitFor("the traces", async () => {
    const found = await fetch(`${session.app.url}/api/compare?a=release:2.13.0&b=release:2.14.0`)
    const { a, b } = (await found.json()) as { a: { traces: number }; b: { traces: number } }
    return a.traces === VISITS && b.traces === VISITS
  })
})

const row = (table: string, name: string) =>
  session.rows(table).filter({ has: session.page.getByRole("rowheader", { name, exact: true }) })
const cells = async (of: ReturnType<typeof row>) =>
  (await of.getByRole("cell").allInnerTexts()).map((cell) => cell.replace(/\s+/g, " ").trim())

describe("slower since release 2.14.0", () => {
  test("is two clicks from the routes: what differs is first, and what is noise says so", async () => {
    await session.open("/routes")
    await session.page.getByRole("link", { name: "Compare", exact: true }).click()
    await session.page.getByRole("link", { name: "Release web 2.13.0 → 2.14.0" }).click()
    await session.page.waitForURL(/a=release%3A2.13.0/)
    await row("Routes", "/checkout").waitFor()
    expect(await cells(row("Routes", "/checkout"))).toEqual([
      "30 → 30",
      "115 ms → 195 ms",
      "▲ +80 ms",
      "128 ms → 208 ms",
      "too few",
      "0 % → 0 %",
      "0 pp",
    ])
    expect((await cells(row("Routes", "/health")))[2]).toBe("0")
    const names = await session.page.getByRole("table", { name: "Routes" }).getByRole("rowheader").allInnerTexts()
    expect(names.map((name) => name.split("\n")[0])).toEqual(["/checkout", "/health"])
    expect(await cells(row("Span paths", "SELECT prices"))).toEqual(
      expect.arrayContaining(["1 → 4 ▲ +3", "4.00 ms → 4.00 ms"]),
    )
    expect(session.parameters.get("a")).toBe("release:2.13.0")
    expect(session.parameters.get("b")).toBe("release:2.14.0")
  })

  test("leads from a row to the traces of either side", async () => {
    await session.open("/compare?a=release:2.13.0&b=release:2.14.0")
    for (const [side, version] of [
      ["baseline", "2.13.0"],
      ["current", "2.14.0"],
    ]) {
      await session.page.getByRole("link", { name: `/checkout, ${side}: 30`, exact: true }).click()
      await session.page.waitForURL(/\/traces\?/)
      expect(session.parameters.get("q")).toBe(`(release:${version}) {kind:server route:/checkout}`)
      await session.page.getByText("GET /checkout").first().waitFor()
      await session.page.goBack()
    }
  })
})

describe("the two filters", () => {
  test("are written in a bar each, swapped, and compared over windows that the presets set", async () => {
    await session.open("/compare")
    await session.page.getByText("Choose what to compare").waitFor()
    await session.page.getByRole("combobox", { name: "Baseline filter" }).fill("release:2.14.0")
    await session.page.getByRole("combobox", { name: "Current filter" }).fill("release:2.13.0")
    await session.page.keyboard.press("Escape")
    await session.page.getByRole("search", { name: "Compared traces" }).getByRole("button", { name: "Compare" }).click()
    await row("Routes", "/checkout").waitFor()
    expect((await cells(row("Routes", "/checkout")))[2]).toBe("▼ −80 ms")
    await session.page.getByRole("link", { name: "Swap" }).click()
    await session.page.waitForURL(/a=release%3A2.13.0/)
    await session.page.getByRole("combobox", { name: "Current time" }).selectOption("1h")
    await session.page.waitForURL(/bSince=1h/)
    await session.page.getByRole("link", { name: "Previous window" }).click()
    await session.page.waitForURL(/aSince=2h/)
    expect(Object.fromEntries(session.parameters)).toEqual({
      a: "release:2.14.0",
      aSince: "2h",
      aUntil: "1h",
      b: "release:2.14.0",
      bSince: "1h",
    })
    await row("Routes", "/checkout").getByText("only current").waitFor()
  })

  test("say what is wrong with them, and where nothing matches", async () => {
    await session.open("/compare?a=duration%3E&b=release:2.14.0")
    await session.page.getByRole("alert").first().waitFor()
    expect(await session.page.getByRole("table").count()).toBe(0)
    await session.open("/compare?a=service:none&b=service:nothing")
    await session.page.getByText("Neither side has a trace").waitFor()
  })
})

describe("what changed", () => {
  test("is a column of the routes, sortable, that leads to the comparison of the route", async () => {
    await session.open("/routes?since=1h&sort=change&of=request")
    const checkout = session.page.getByRole("row").filter({ hasText: "/checkout" })
    expect(await session.page.getByRole("columnheader", { name: "Δ p50" }).getAttribute("aria-sort")).toBe("descending")
    // There are none in the hour before.
    await checkout.getByRole("cell", { name: "–", exact: true }).first().waitFor()
    const [since, until] = [now - 1.6 * HOUR, now].map((ms) => new Date(ms).toISOString())
    await session.open(`/routes?since=${since}&until=${until}&of=request`)
    await checkout.getByRole("link", { name: /\+80 ms/ }).click()
    await session.page.waitForURL(/\/compare\?/)
    expect(session.parameters.get("a")).toBe("{kind:server route:/checkout}")
    await row("Routes", "/checkout").waitFor()
    expect((await cells(row("Routes", "/checkout")))[2]).toBe("▲ +80 ms")
  })

  test("is a column of the errors, sortable, where an error of this day is new", async () => {
    const event = { event_id: hexId("boom", 32), timestamp: now / 1_000, platform: "node", transaction: "/checkout" }
    const exception = { values: [{ type: "TypeError", value: "boom" }] }
    const lines = [{ event_id: event.event_id }, { type: "event" }, { ...event, exception }]
    await fetch(`${session.app.url}/api/1/envelope/`, {
      method: "POST",
      body: lines.map((line) => JSON.stringify(line)).join("\n"),
    })
    await waitFor("the error", async () => (await session.issues("?q=boom")).length === 1)
    await session.open("/errors?sort=change&q=boom")
    await session.page.getByRole("link", { name: "new", exact: true }).click()
    await session.page.waitForURL(/\/compare\?/)
    expect(session.parameters.get("b")).toBe("(route:/checkout OR span.name=/checkout)")
    await row("Routes", "/checkout").getByText("only current").waitFor()
  })

  test("is marked on the charts where a release begins", async () => {
    await session.open("/routes/checkout?since=6h")
    const chart = session.page.getByRole("figure", { name: "Duration over time" })
    await chart.getByText("2.13.0").waitFor({ state: "attached" })
    await chart.getByText("2.14.0").waitFor({ state: "attached" })
    // Within the last hour, that one alone begins.
    await session.open("/services/web?since=1h")
    const entries = session.page.getByRole("figure", { name: "Entries over time" })
    await entries.getByText("2.14.0").waitFor({ state: "attached" })
    expect(await entries.getByText("2.13.0").count()).toBe(0)
  })
})

describe("a release that begins within the window", () => {
  const marks = (chart: string) =>
    session.page.getByRole("figure", { name: chart }).getByText("2.14.0", { exact: true })

  test.each([
    ["/traces?since=6h", "Traces over time"],
    ["/traces?since=6h&chart=heatmap", "Traces by start time and duration"],
    ["/logs?since=6h", "Logs over time"],
    ["/services/web?since=6h", "Entries over time"],
    ["/services/web?since=6h", "Duration over time"],
  ])("is marked on %s in “%s”", async (path, chart) => {
    await session.open(path)
    await marks(chart).first().waitFor({ state: "attached" })
  })

  test("is marked on the trend of dropped data", async () => {
    await fetch(`${session.app.url}/v1/traces`, {
      method: "POST",
      headers: { "content-type": "text/plain" },
      body: "x",
    })
    await waitFor("the drop", async () => {
      const { dropped } = (await (await fetch(`${session.app.url}/api/dropped`)).json()) as { dropped: unknown[] }
      return dropped.length > 0
    })
    await session.open("/dropped?since=6h")
    await marks("Dropped records over time by reason").waitFor({ state: "attached" })
  })

  test("is marked on the trend of an error of its service", async () => {
    const record = {
      timeUnixNano: `${now}000000`,
      severityNumber: 17,
      attributes: [text("exception.type", "OutOfStock"), text("exception.message", "none left")],
    }
    const resource = { attributes: [text("service.name", "web")] }
    await fetch(`${session.app.url}/v1/logs`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ resourceLogs: [{ resource, scopeLogs: [{ logRecords: [record] }] }] }),
    })
    const issue = await waitFor("the error", async () => (await session.issues("?q=OutOfStock"))[0])
    await session.open(`/errors/${issue.issueId}`)
    await marks("Events over time").waitFor({ state: "attached" })
  })
})

test("has no serious fault to assistive technology, and is in the palette", async () => {
  await session.open("/compare?a=release:2.13.0&b=release:2.14.0")
  expect(await seriousFaults(session.page)).toEqual([])
  await session.page.keyboard.press("Control+k")
  await session.page.getByRole("combobox", { name: "Go to" }).fill("compare")
  await session.page.getByRole("option", { name: "Compare", exact: true }).click()
  await session.page.waitForURL(/\/compare$/)
  expect(session.complaints).toEqual([])
})
