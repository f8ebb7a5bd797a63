import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { IDLE_TIMEOUT_MS } from "#otel/protocol/limits.ts"
import type { Payload } from "#tests/support/recording-sentry.ts"
import { sleep, waitFor } from "#tests/support/wait-for.ts"
import { attributesOf, childrenOf, type OtlpSpan, pageSpans } from "../exported-spans.ts"
import { type RecordedApp, startRecordedApp } from "../recorded-app.ts"
import { endRoot, route, shows, visit } from "../visit.ts"

let { browser, sentry, collector, app } = {} as RecordedApp
let recorded: RecordedApp

beforeAll(async () => {
  recorded = await startRecordedApp("routes")
  ;({ browser, sentry, collector, app } = recorded)
})
afterAll(() => recorded?.stop())

interface Scene {
  readonly page: Page
  /** The navigation, once it has ended. */
  root(): Promise<Payload>
}

/** Opens a page and navigates to `/about`. */
async function about(): Promise<Scene> {
  const page = await visit(browser, `${app.origin}/items/1`)
  const known = new Set(rootsOfAbout().map(idOf))
  await route(page, "push", "/about")
  await shows(page, "about")
  const root = () => waitFor("the root", () => rootsOfAbout().find((root) => !known.has(idOf(root))), 40_000)
  return { page, root }
}

const rootsOfAbout = () => sentry.transactions().filter(({ transaction }) => transaction === "/about")
const idOf = (root: Payload): string => root["contexts"].trace.span_id
const traceOf = (root: Payload): string => root["contexts"].trace.trace_id
const endReasonOf = (root: Payload): string => root["contexts"].trace.data["pagespan.end_reason"]
const requestsIn = (root: Payload, name: string) => childrenOf(root).filter(({ description }) => description === name)
const polls = (spans: readonly Payload[]) => spans.filter(({ data }) => data["pagespan.polling"] === true)
const atCollector = (root: Payload, name: string): OtlpSpan[] =>
  pageSpans(collector).filter((span) => span["traceId"] === traceOf(root) && span["name"] === name)
const lateInSentry = (root: Payload): Payload[] =>
  sentry
    .items("span")
    .map(({ payload }) => payload)
    .filter((span) => span["trace_id"] === traceOf(root) && span["op"] === "http.client")

/** The idle second is not part of the root. Scripts notice the end of a response slightly after the browser. */
function expectEndWith(root: Payload, children: readonly Payload[]): void {
  const lastEnd = Math.max(...children.map(({ timestamp }) => timestamp))
  expect(root["timestamp"]).toBeGreaterThanOrEqual(lastEnd)
  expect(root["timestamp"]).toBeLessThan(lastEnd + IDLE_TIMEOUT_MS / 1_000)
}

const GRAPHQL = "POST /api/graphql"
const THING = "GET /api/things/[id]"

/** Sends consecutive queries to one path. Resolves with the `traceparent` of each, as the server received it. */
const queries = (page: Page, delays: readonly number[]) =>
  page.evaluate(async (delays) => {
    const seen: string[] = []
    for (const delayMs of delays) {
      const response = await fetch("/api/graphql", { method: "POST", body: JSON.stringify({ delayMs }) })
      seen.push(((await response.json()) as { traceparent: string }).traceparent)
    }
    return seen
  }, delays)

/** Sends concurrent queries to the same path. */
const atOnce = (page: Page, count: number) =>
  page.evaluate(async (count) => {
    const query = () => fetch("/api/graphql", { method: "POST", body: "{}" })
    await Promise.all(Array.from({ length: count }, async () => (await query()).text()))
  }, count)

const times = (count: number, value: number) => Array.from({ length: count }, () => value)

test("two hundred requests to one path are two hundred spans of one root, each with its own trace header", async () => {
  const { page, root } = await about()
  const seen = await queries(page, times(200, 0))
  const ended = await root()
  const spans = requestsIn(ended, GRAPHQL)
  expect(spans).toHaveLength(200)
  expect(polls(spans)).toEqual([])
  expect(spans.map(({ span_id }) => `00-${traceOf(ended)}-${span_id}-01`).sort()).toEqual(seen.toSorted())
  for (const span of spans) expect(span).toMatchObject({ parent_span_id: idOf(ended), status: "ok", op: "http.client" })
  await waitFor("all at the collector", () => atCollector(ended, GRAPHQL).length === 200)
  await page.context().close()
})

test("a root lasts until the last of twenty consecutive requests to one path has ended", async () => {
  const { page, root } = await about()
  await queries(page, times(20, 150))
  const ended = await root()
  const spans = requestsIn(ended, GRAPHQL)
  expect(spans).toHaveLength(20)
  expect(polls(spans)).toEqual([])
  expect(endReasonOf(ended)).toBe("idle_timeout")
  expectEndWith(ended, spans)
  await page.context().close()
})

test("a page that requests each item separately has a span for each", async () => {
  const { page, root } = await about()
  await page.evaluate(async () => {
    const ask = async (url: string) => (await fetch(url)).text()
    await Promise.all(Array.from({ length: 60 }, (_, id) => ask(`/api/things/${id}`)))
    await Promise.all(Array.from({ length: 60 }, (_, id) => ask(`/api/things/all?id=${id}`)))
  })
  const ended = await root()
  expect(requestsIn(ended, THING)).toHaveLength(120)
  expect(polls(requestsIn(ended, THING))).toEqual([])
  await page.context().close()
})

test.each([
  ["that reads its responses", true],
  ["that reads only the status", false],
])("polling every 800 ms %s is recorded, and does not keep the root open", async (_, isRead) => {
  const { page, root } = await about()
  await page.evaluate((isRead) => {
    const poll = async () => {
      const response = await fetch(`/api/things/1?at=${performance.now()}`)
      if (isRead) await response.text()
    }
    setInterval(poll, 800)
  }, isRead)
  const ended = await root()
  const spans = requestsIn(ended, THING).sort((a, b) => a["start_timestamp"] - b["start_timestamp"])
  expect(endReasonOf(ended)).toBe("idle_timeout")
  expect(polls(spans).length).toBeGreaterThan(0)
  const awaited = spans.filter((span) => !polls(spans).includes(span))
  expect(awaited.length).toBeGreaterThanOrEqual(4)
  expectEndWith(ended, awaited)
  // A transaction has no child that starts after its end, so the root ends before later polls.
  expect(ended["timestamp"]).toBeLessThanOrEqual(Math.min(...polls(spans).map((span) => span["start_timestamp"])))
  // The first ten later polls are recorded.
  const isLatePoll = (span: OtlpSpan) =>
    attributesOf(span)["pagespan.polling"] === true && "sentry.segment.name" in attributesOf(span)
  await waitFor("later polls at the collector", () => atCollector(ended, THING).filter(isLatePoll).length === 10)
  await page.context().close()
})

test("retries with backoff keep the root open until the last one", async () => {
  const { page, root } = await about()
  await page.evaluate(async () => {
    for (const pause of [200, 400, 800, 0]) {
      await fetch("/no/such/api")
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  })
  const ended = await root()
  const attempts = requestsIn(ended, "GET")
  expect(attempts).toHaveLength(4)
  expect(polls(attempts)).toEqual([])
  for (const attempt of attempts) expect(attempt).toMatchObject({ status: "not_found" })
  expectEndWith(ended, attempts)
  await page.context().close()
})

test("the requests of a list that is scrolled are recorded page by page, and the root lasts until the last one", async () => {
  const { page, root } = await about()
  await page.evaluate(async () => {
    const list = document.createElement("div")
    list.style.cssText = "height: 200px; overflow: auto"
    list.innerHTML = `<div style="height: 10000px"></div>`
    document.body.append(list)
    let next = 1
    const loads: Promise<string>[] = []
    list.addEventListener("scroll", () =>
      loads.push(fetch(`/api/things/list?page=${next++}`).then((page) => page.text())),
    )
    for (const pause of [650, 310, 880, 480, 700, 260, 740]) {
      list.scrollBy(0, 200)
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
    await Promise.all(loads)
  })
  const ended = await root()
  const spans = requestsIn(ended, THING)
  expect(spans).toHaveLength(7)
  expect(polls(spans)).toEqual([])
  expectEndWith(ended, spans)
  expect(spans.map(({ data }) => data["url.query"]).sort()).toEqual([1, 2, 3, 4, 5, 6, 7].map((page) => `page=${page}`))
  await page.context().close()
})

/** Adds a button that sends a request, as apps have. */
const addButton = (page: Page) =>
  page.evaluate(() => {
    const button = document.createElement("button")
    button.textContent = "Save"
    const headers = { accept: "application/json" }
    button.onclick = () =>
      fetch("/api/graphql", { method: "POST", body: `{"delayMs":50}`, headers })
        .then((response) => response.json())
        .then(({ traceparent }) => (button.dataset["traceparent"] = traceparent))
    document.body.append(button)
  })

test("a request 5 s after the root has ended is a span of its trace, at the collector and at Sentry", async () => {
  const { page, root } = await about()
  const ended = await root()
  await addButton(page)
  await sleep(5_000)
  await page.getByRole("button", { name: "Save" }).click()
  const [late] = await waitFor("the span at the collector", () => {
    const found = atCollector(ended, GRAPHQL)
    return found.length > 0 && found
  })
  expect(late).toMatchObject({ traceId: traceOf(ended), parentSpanId: idOf(ended), kind: 3 })
  expect(attributesOf(late!)).toMatchObject({
    "http.response.status_code": expect.anything(),
    "url.template": "/api/graphql",
    "sentry.segment.name": "/about",
  })
  expect(BigInt(late!["endTimeUnixNano"]) - BigInt(late!["startTimeUnixNano"])).toBeGreaterThanOrEqual(50_000_000n)
  const [inSentry] = await waitFor("the span at Sentry", () => lateInSentry(ended).length > 0 && lateInSentry(ended))
  expect(inSentry).toMatchObject({
    span_id: late!["spanId"],
    trace_id: traceOf(ended),
    parent_span_id: idOf(ended),
    segment_id: idOf(ended),
    is_segment: false,
    op: "http.client",
    description: GRAPHQL,
    status: "ok",
    data: { transaction: "/about", "http.response.status_code": 200, "http.request.method": "POST" },
  })
  expect(inSentry!["start_timestamp"]).toBeGreaterThan(ended["timestamp"] + 5)
  const traceparent = await page.getByRole("button", { name: "Save" }).getAttribute("data-traceparent")
  expect(traceparent).toBe(`00-${traceOf(ended)}-${late!["spanId"]}-01`)
  // The span is sent once, and not as a root.
  expect(
    sentry.transactions().filter(({ platform, transaction }) => platform === "javascript" && transaction === GRAPHQL),
  ).toEqual([])
  expect(lateInSentry(ended)).toHaveLength(1)
  await page.context().close()
})

/** The number of dropped spans that the page reported to Sentry. */
const droppedSpans = () =>
  sentry
    .items("client_report")
    .flatMap(({ payload }) => payload["discarded_events"] as Payload[])
    .filter(({ category, reason }) => category === "span" && reason === "buffer_overflow")
    .reduce((sum, { quantity }) => sum + (quantity as number), 0)

test("after the end of a root a hundred requests and ten polls are recorded, and the others are counted", async () => {
  const { page, root } = await about()
  const ended = await root()
  const before = droppedSpans()
  const SENT = 24 + 60 + 60
  await page.evaluate(async () => {
    for (let poll = 0; poll < 24; poll++) {
      await (await fetch("/api/things/1")).text()
      await new Promise((resolve) => setTimeout(resolve, 400))
    }
  })
  await atOnce(page, 60)
  const lastOnes = await queries(page, times(60, 0))
  await endRoot(page)
  const recorded = () => [...atCollector(ended, GRAPHQL), ...atCollector(ended, THING)]
  await waitFor("all to be at the collector or counted", () => recorded().length + droppedSpans() - before >= SENT)
  const late = recorded()
  const polling = late.filter((span) => attributesOf(span)["pagespan.polling"] === true)
  expect(polling).toHaveLength(10)
  expect(late.length - polling.length).toBe(100)
  expect(droppedSpans() - before).toBe(SENT - late.length)
  const idsInSentry = () =>
    lateInSentry(ended)
      .map(({ span_id }) => span_id)
      .sort()
  await expect.poll(idsInSentry).toEqual(late.map(({ spanId }) => spanId).sort())
  // A request without a span sends the ids of its root.
  expect(lastOnes.at(-1)).toBe(`00-${traceOf(ended)}-${idOf(ended)}-01`)
  await page.context().close()
})

test("a late request that is in flight on unload ends with the page", async () => {
  const { page, root } = await about()
  const ended = await root()
  await page.evaluate(() => void fetch("/api/graphql", { method: "POST", body: `{"delayMs":20000}` }))
  await endRoot(page)
  const [late] = await waitFor("the span", () => atCollector(ended, GRAPHQL).length > 0 && atCollector(ended, GRAPHQL))
  expect(attributesOf(late!)).toMatchObject({ "pagespan.end_reason": "page_left" })
  await waitFor("the same at Sentry", () => lateInSentry(ended).length === 1)
  await page.context().close()
})

test("Pagespan's own requests make no spans, before and after the end of a root", () => {
  const addresses = pageSpans(collector).map((span) => String(attributesOf(span)["url.full"] ?? ""))
  expect(addresses.some((address) => address.endsWith("/api/graphql"))).toBe(true)
  expect(addresses.filter((address) => address.includes("/monitoring"))).toEqual([])
})
