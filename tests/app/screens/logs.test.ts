import { beforeAll, describe, expect, test } from "vitest"
import { waitFor } from "#tests/support/wait-for.ts"
import { REQUEST, sendLoggedRequest, SPANS } from "./samples/logged-request.ts"
import { openScreen } from "./session/open-screen.ts"
import { ScreenSession } from "./session/screen-session.ts"
import { seriousFaults } from "./session/serious-faults.ts"

const session = ScreenSession.ofFile()
const startMs = Date.now() - 120_000
beforeAll(() => sendLoggedRequest(session.app.url, startMs))

const lines = (list: string) => session.page.getByRole("list", { name: list }).getByRole("listitem")
const bodies = (list: string) => session.page.getByRole("list", { name: list }).locator("li > div > :last-child")
const openIssue = async () => {
  const [issue] = await session.issues("?q=PaymentError")
  await session.open(`/errors/${issue?.issueId}`)
}

/** A trace with one span, and what writes lines in it. */
function lateLines() {
  const [traceId, spanId] = ["1a".repeat(16), "1a".repeat(8)]
  const resource = { attributes: [{ key: "service.name", value: { stringValue: "late" } }] }
  const send = async (path: string, body: object) => {
    const request = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }
    expect((await fetch(session.app.url + path, request)).status).toBe(200)
  }
  const at = (offsetMs: number) => `${startMs + offsetMs}000000`
  const post = async (body: string, offsetMs: number) => {
    const span = { traceId, spanId, name: "late", startTimeUnixNano: at(0), endTimeUnixNano: at(5_000) }
    await send("/v1/traces", { resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] })
    const record = { timeUnixNano: at(offsetMs), severityNumber: 9, body: { stringValue: body }, traceId, spanId }
    await send("/v1/logs", { resourceLogs: [{ resource, scopeLogs: [{ logRecords: [record] }] }] })
  }
  return { traceId, post }
}

describe("the logs of a trace", () => {
  test("are one click from the trace, of both protocols, by time, with the offset from its start", async () => {
    await session.open(`/traces/${REQUEST}`)
    await session.page.getByRole("toolbar", { name: "Trace" }).getByRole("button", { name: "Logs" }).click()
    const all = lines("Logs of this trace")
    await all.filter({ hasText: "answered 402" }).waitFor()
    expect(await all.count()).toBe(18)
    expect(await bodies("Logs of this trace").nth(0).innerText()).toBe("request received")
    expect((await all.nth(0).innerText()).replaceAll("\u00a0", " ")).toMatch(/\+10\.0 ms[^]*info[^]*web/i)
    expect((await bodies("Logs of this trace").allInnerTexts()).slice(-6)).toEqual([
      "step 11",
      '{"amount":"12 EUR"}',
      "bank is slow",
      "card was declined",
      "sentry: retry is not allowed",
      "answered 402",
    ])
    await waitFor("the view in the address", () => session.parameters.get("view") === "logs")
    expect(await seriousFaults(session.page)).toEqual([])
  })

  test("that arrive while they are shown are added by time, each once", async () => {
    const { traceId, post } = lateLines()
    await post("first", 1_000)
    await post("third", 3_000)
    await waitFor("the trace", async () => (await fetch(`${session.app.url}/api/traces/${traceId}`)).ok)
    await session.open(`/traces/${traceId}?view=logs`)
    await lines("Logs of this trace").filter({ hasText: "third" }).waitFor()
    await session.page.getByLabel("Live connection").getByText("Live").waitFor()
    await post("second", 2_000)
    await post("fourth", 4_000)
    const texts = async () => (await bodies("Logs of this trace").allInnerTexts()).join()
    await waitFor("the late lines", async () => (await texts()) === "first,second,third,fourth")
  })

  test("select their span with a click, and open to the whole body and the attributes", async () => {
    await session.open(`/traces/${REQUEST}?view=logs`)
    await session.page.getByRole("link", { name: "bank is slow" }).click()
    await session.page.getByRole("heading", { name: "charge" }).waitFor()
    await waitFor("the span in the address", () => session.parameters.get("span") === SPANS.payment)
    expect(session.parameters.get("view")).toBe("logs")
    const structured = lines("Logs of this trace").filter({ hasText: "12 EUR" })
    await structured.getByRole("button", { name: /^Details of/ }).click()
    await structured.getByText("amount", { exact: true }).waitFor()
    const card = lines("Logs of this trace").filter({ hasText: "card was declined" })
    await card.getByRole("button", { name: /^Details of/ }).click()
    await card.getByText("card.type").waitFor()
    expect(await card.innerText()).toContain("visa")
    expect(await session.page.locator("main").innerText()).not.toContain("[31m")
  })

  test("are below the events of their span, and mark its bar where they are warnings or errors", async () => {
    await session.open(`/traces/${REQUEST}?span=${SPANS.payment}`)
    const panel = lines("Logs of this span")
    await panel.first().waitFor()
    expect(await panel.count()).toBe(2)
    await session.page
      .getByRole("row", { name: /charge/ })
      .getByText("1 warning in its logs")
      .waitFor({ state: "attached" })
    const request = session.page.getByRole("row", { name: /POST \/checkout/ })
    expect(await request.innerText()).toContain("1 warning and 1 error in its logs")
    expect(await request.locator("svg[data-severity]").count()).toBe(2)
    expect(await seriousFaults(session.page)).toEqual([])
  })
})

test("an error shows the lines of its trace from five seconds before it to the error, and leads to all of them", async () => {
  await openIssue()
  const shown = lines("Logs before the error")
  await shown.first().waitFor()
  const texts = await bodies("Logs before the error").allInnerTexts()
  expect(texts[0]).toBe("step 0")
  expect(texts.slice(-2)).toEqual(["card was declined", "sentry: retry is not allowed"])
  expect(texts).not.toContain("request received")
  expect(texts).not.toContain("answered 402")
  expect((await shown.last().innerText()).replaceAll("\u00a0", " ")).toContain("−20.0 ms")
  expect(await seriousFaults(session.page)).toEqual([])
  await session.page.getByRole("link", { name: "All logs of the trace" }).click()
  await lines("Logs of this trace").filter({ hasText: "answered 402" }).waitFor()
  expect(session.complaints).toEqual([])
})

describe("/logs", () => {
  const texts = () => bodies("Logs").allInnerTexts()
  const post = async (body: string, severityNumber = 9) => {
    const resource = { attributes: [{ key: "service.name", value: { stringValue: "worker" } }] }
    const record = { timeUnixNano: `${Date.now()}000000`, severityNumber, body: { stringValue: body } }
    const response = await fetch(`${session.app.url}/v1/logs`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ resourceLogs: [{ resource, scopeLogs: [{ logRecords: [record] }] }] }),
    })
    expect(response.status).toBe(200)
  }

  test("is reached from the top bar, lists logs with and without a trace, newest first, and leads to the span", async () => {
    await session.open("/")
    await session.page.getByRole("navigation", { name: "Screens" }).getByRole("link", { name: "Logs" }).click()
    await lines("Logs").first().waitFor()
    const all = await texts()
    expect(all[0]).toBe("answered 402")
    expect(all).toContain("job without a trace")
    expect(await session.page.getByText("23 logs").count()).toBe(1)
    expect(await seriousFaults(session.page)).toEqual([])
    await session.page.getByRole("link", { name: "bank is slow" }).click()
    await session.page.waitForURL(/view=logs/)
    await session.page.getByRole("heading", { name: "charge" }).waitFor()
  })

  test("shows times in UTC, or in the zone of the browser, which every screen then has, axes included", async () => {
    const context = await session.page.context().browser()!.newContext({ timezoneId: "Asia/Tokyo" })
    const page = await context.newPage()
    await openScreen(page, `${session.app.url}/logs?q=answered`)
    const time = page.getByRole("list", { name: "Logs" }).locator("time").first()
    const utc = await time.innerText()
    await page.getByRole("button", { name: "Times in UTC" }).click()
    await page.getByRole("button", { name: "Times in Asia/Tokyo" }).waitFor()
    await page.getByRole("figure", { name: "Logs over time" }).getByText("UTC+9").first().waitFor()
    expect(await time.innerText()).not.toBe(utc)
    await openScreen(page, `${session.app.url}/traces/${REQUEST}`)
    await page.locator("header time").getByText("UTC+9").waitFor()
    await page.keyboard.press("Control+k")
    await page.getByRole("option", { name: "Times in UTC" }).click()
    await page.locator("header time").getByText(/ UTC$/).waitFor()
    await context.close()
  })

  test("counts severities and services, each a link that filters and a second that excludes", async () => {
    await session.open("/logs")
    const facets = session.page.getByRole("complementary", { name: "Filters" })
    const values = facets.getByRole("region", { name: "Severity" }).getByRole("listitem")
    expect((await values.allInnerTexts()).map((value) => value.split("\n")[0])).toEqual([
      "error",
      "warn",
      "info",
      "debug",
    ])
    await facets.getByRole("link", { name: /^payments/ }).click()
    await waitFor("the filter", () => session.parameters.get("q") === "service:payments")
    await waitFor("the filtered list", async () => (await texts()).length === 2)
    await facets.getByRole("link", { name: "Exclude warn" }).click()
    await waitFor("the filtered list", async () => (await texts()).length === 1)
    await facets.getByRole("link", { name: /^payments/ }).click()
    await waitFor("the filter without the service", () => session.parameters.get("q") === "-severity:warn")
  })

  test("filters with suggestions of its own language, and points at a field that logs do not have", async () => {
    await session.open("/logs")
    const filter = session.page.getByRole("combobox", { name: "Filter" })
    await filter.fill("sev")
    await session.page.getByRole("option", { name: /^severity/ }).click()
    await filter.pressSequentially(">=warn service:p")
    await session.page.getByRole("option", { name: /^payments/ }).click()
    await filter.press("Enter")
    await waitFor("the filter", () => session.parameters.get("q")?.trim() === "severity:>=warn service:payments")
    await waitFor("the filtered list", async () => (await texts()).join() === "bank is slow")
    await filter.fill("service:web duration>5ms")
    await filter.press("Enter")
    await session.page
      .getByRole("alert")
      .getByText(/Logs have no duration/)
      .waitFor()
  })

  test("follows what matches the filter, and holds it back while the user reads", async () => {
    await session.open("/logs?q=live-line")
    await session.page.getByText("No log matches").waitFor()
    await session.page.mouse.move(0, 0)
    await session.page.getByLabel("Live connection").getByText("Live").waitFor()
    await post("live-line one")
    await post("other line")
    const markup = `live-markup <img src=x onerror="document.title='run'"><script>document.title='run'</script>\u202e`
    await post(markup, 17)
    await waitFor("the first line", async () => (await texts()).join() === "live-line one")
    await session.page.getByText("live-line one", { exact: true }).hover()
    await post("live-line two", 17)
    const pill = session.page.getByRole("button", { name: "1 new" })
    await pill.waitFor()
    expect(await texts()).toEqual(["live-line one"])
    await pill.click()
    await waitFor("both lines", async () => (await texts()).join() === "live-line two,live-line one")
    await session.open("/logs?q=live-markup")
    await lines("Logs")
      .getByText(/<img src=x.*\\u\{202e\}/)
      .first()
      .waitFor()
    expect(await session.page.locator("main img, main ol script").count()).toBe(0)
    expect(await session.page.title()).toContain("Logs")
    expect(session.complaints).toEqual([])
  })

  test("scrolls through more lines than a page holds, to the oldest and back, without a gap", async () => {
    const count = 5_600
    const resource = { attributes: [{ key: "service.name", value: { stringValue: "many" } }] }
    const logRecords = Array.from({ length: count }, (_, index) => ({
      timeUnixNano: String(BigInt(startMs) * 1_000_000n + BigInt(index >> 2)),
      severityNumber: 9,
      body: { stringValue: `row ${index}` },
    }))
    const response = await fetch(`${session.app.url}/v1/logs`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ resourceLogs: [{ resource, scopeLogs: [{ logRecords }] }] }),
    })
    expect(response.status).toBe(200)
    const figures = `${session.app.url}/api/logs/figures?q=service:many`
    await waitFor("the lines", async () => ((await (await fetch(figures)).json()) as { logs: number }).logs === count)
    await session.open("/logs?q=service:many")
    const scroller = session.page.getByRole("region", { name: "Logs" })
    /**
     * Scrolls by `screens` at a time until the line `row` is in the document, or nothing has moved for 120 steps, in which more
     * lines may load. Resolves with the number of lines seen on the way.
     */
    const scroll = (screens: number, row: number) =>
      scroller.evaluate(
        async (element, { screens, text }) => {
          const passed = new Set<string>()
          for (let still = 0; still < 120 && !passed.has(text);) {
            for (const line of element.querySelectorAll("li")) passed.add(/row \d+/.exec(line.textContent)?.[0] ?? "")
            const before = element.scrollTop
            element.scrollTop += screens * element.clientHeight
            await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
            still = element.scrollTop === before ? still + 1 : 0
          }
          return passed.size
        },
        { screens, text: `row ${row}` },
      )
    const hasLine = (index: number) => async () =>
      (await session.page.getByText(`row ${index}`, { exact: true }).count()) === 1
    await waitFor("the newest line", hasLine(count - 1))
    expect(await scroll(1, 0)).toBe(count)
    expect([await hasLine(0)(), await lines("Logs").count()]).toEqual([true, expect.toSatisfy((rows) => rows < 120)])
    await session.page.getByText("Showing 5,000 of 5,600 logs, not live").waitFor()
    expect(await scroll(-1, count - 1)).toBe(count)
    expect(await hasLine(count - 1)()).toBe(true)
    await session.page.getByText(/^Showing 5,000 of 5,600 logs$/).waitFor()
    // At the oldest again, where the newest are not in memory any more, one click leads to them.
    await scroll(2, 0)
    await session.page.getByText("Showing 5,000 of 5,600 logs, not live").waitFor()
    await session.page.getByRole("button", { name: "Newest" }).click()
    await waitFor("the newest line", hasLine(count - 1))
    expect(await scroller.evaluate((element) => element.scrollTop)).toBe(0)
  })
})
