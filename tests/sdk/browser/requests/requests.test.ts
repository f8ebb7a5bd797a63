import type { Page } from "playwright-core"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import type { Payload } from "#tests/support/recording-sentry.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { attributesOf, childrenOf, named, pageScopes, pageSpans } from "../exported-spans.ts"
import { type RecordedApp, startRecordedApp } from "../recorded-app.ts"
import { rootsOf, route, shows, visit } from "../visit.ts"

let { browser, sentry, collector, app } = {} as RecordedApp
let recorded: RecordedApp

beforeAll(async () => {
  recorded = await startRecordedApp("routes")
  ;({ browser, sentry, collector, app } = recorded)
})
afterAll(() => recorded?.stop())
beforeEach(() => sentry.clear())

test("a server action and the app's requests are named by their routes", async () => {
  const page = await visit(browser, `${app.origin}/action`)
  await page.evaluate(async () => {
    await fetch("/api/things/7?token=secret")
    await fetch("/no/such/api").catch(() => undefined)
  })
  await page.getByRole("button", { name: "go" }).click()
  await shows(page, "item 5")
  // The client, which derives Sentry's status from an HTTP status, is loaded once the page is idle.
  await sentry.waitForTransaction("of the load", (transaction) => transaction["transaction"] === "/action")
  const [root] = await rootsOf(page, sentry, 2)
  expect(named(root, "GET /api/things/[id]")).toMatchObject({ data: { "http.request.method": "GET" }, status: "ok" })
  expect(named(root, "ACTION /action")).toBeDefined()
  expect(named(root, "GET")).toMatchObject({ status: "not_found", data: { "error.type": "404" } })
  expect(JSON.stringify(root)).not.toContain("secret")
})

test("of a query only the allowed parameters are recorded", async () => {
  const page = await visit(browser, `${app.origin}/static`)
  await route(page, "push", "/slow")
  await page.evaluate(async () => {
    const image = new Image()
    image.src = "/icon.svg?token=secret&page=3&page=4"
    await Promise.all([image.decode(), fetch("/api/things/7?page=2&token=secret#part")])
  })
  await page.getByRole("heading", { name: "late" }).waitFor()
  const [, root] = await rootsOf(page, sentry, 2)
  expect(named(root, "GET /api/things/[id]")!["data"]).toMatchObject({
    "url.full": `${app.origin}/api/things/7`,
    "url.query": "page=2",
  })
  expect(named(root, "/icon.svg")!["data"]).toMatchObject({
    "url.full": `${app.origin}/icon.svg`,
    "url.query": "page=3&page=4",
  })
  const spans = await waitFor("the collector's", () => {
    const found = pageSpans(collector).filter(({ traceId }) => traceId === root!["contexts"].trace.trace_id)
    return found.some(({ name }) => name === "/slow") && found
  })
  const queries = spans.map((span) => attributesOf(span)["url.query"]).filter(Boolean)
  expect(queries.sort()).toEqual(["page=2", "page=3&page=4"])
  expect(JSON.stringify([root, spans])).not.toContain("secret")
})

test("polling, streams and prefetches do not keep a root open, and send its trace headers", async () => {
  const page = await visit(browser, `${app.origin}/prefetching`)
  const startedAt = Date.now()
  const seen = await page.evaluate(async () => {
    void fetch("/api/stream")
    const answers: string[] = []
    for (let poll = 0; poll < 12; poll++) {
      const echo = (await (await fetch(`/api/things/1?poll=${poll}`)).json()) as { traceparent: string }
      answers.push(echo.traceparent)
      await new Promise((resolve) => setTimeout(resolve, 400))
    }
    return answers
  })
  expect(Date.now() - startedAt).toBeGreaterThan(2_000)
  const root = await sentry.waitForTransaction("pageload", ({ transaction }) => transaction === "/prefetching")
  const { trace_id, span_id, data } = root["contexts"].trace
  expect(data["pagespan.end_reason"]).toBe("idle_timeout")
  // At the collector: on a busy machine the root may have ended between two polls.
  const ofTrace = ({ traceId, name }: Payload) => traceId === trace_id && name === "GET /api/things/[id]"
  const polls = await waitFor("all polls", () => {
    const spans = pageSpans(collector).filter(ofTrace)
    return spans.length === 12 && spans
  })
  const isPolling = (span: Payload) => attributesOf(span)["pagespan.polling"] === true
  expect(polls.filter((poll) => !isPolling(poll)).length).toBeGreaterThanOrEqual(4)
  expect(polls.filter(isPolling).length).toBeGreaterThan(0)
  for (const poll of polls.filter(isPolling)) expect(poll["parentSpanId"]).toBe(span_id)
  expect(childrenOf(root).filter(({ description }) => description?.startsWith("RSC"))).toEqual([])
  expect(named(root, "GET /api/stream")).toMatchObject({ data: { "pagespan.end_reason": "idle_timeout" } })
  const ids = seen.map((traceparent) => traceparent.split("-"))
  expect(new Set(ids.map(([, traceId]) => traceId))).toEqual(new Set([trace_id]))
  expect(ids.map(([, , id]) => id)).toEqual(expect.arrayContaining(polls.map((poll) => poll["spanId"])))
  expect(new Set(ids.map(([, , id]) => id)).size).toBe(12)
  await page.context().close()
})

test("trace headers are sent to the page's own origin only, and those that the page sets itself are unchanged", async () => {
  // A page made at build time gets its Sentry project, and so its baggage, only when it is idle.
  const page = await visit(browser, `${app.origin}/items/1`)
  const foreign = `http://127.0.0.1:${collector.port}/elsewhere?from=${encodeURIComponent(app.origin)}`
  const echoed = await page.evaluate(async (foreign) => {
    await fetch(foreign).catch(() => undefined)
    const own = { traceparent: "00-11111111111111111111111111111111-2222222222222222-01" }
    return {
      plain: await (await fetch("/api/things/1", { headers: { baggage: "a=1" } })).json(),
      own: await (await fetch("/api/things/2", { headers: own })).json(),
    }
  }, foreign)
  expect(echoed.plain.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
  expect(echoed.plain.sentryTrace).toContain(echoed.plain.traceparent.split("-")[1])
  expect(echoed.plain.baggage).toMatch(/^a=1, sentry-\w+=/)
  expect(echoed.own.traceparent).toContain("1111")
  expect(echoed.own.sentryTrace).toBeNull()
  const elsewhere = collector.requests.find(({ path }) => path.startsWith("/elsewhere"))
  expect(elsewhere?.headers).not.toHaveProperty("traceparent")
  expect(elsewhere?.headers).not.toHaveProperty("baggage")
  await page.context().close()
})

test.each([
  ["http://allowed.test/api", true],
  ["http://allowed.test:8080/api", false],
  ["https://allowed.test/api", false],
  ["http://allowed.test.evil.example/api", false],
  ["http://evil.example/?http://allowed.test", false],
  ["http://evil.example/http://allowed.test/", false],
])("other origins get trace headers only if they are listed: %s %s", async (url, isListed) => {
  const page = await visit(browser, `${app.origin}/static`)
  const seen: Record<string, string>[] = []
  await page.route(
    (address) => address.origin === new URL(url).origin,
    async (intercepted) => {
      seen.push(intercepted.request().headers())
      await intercepted.fulfill({ body: "{}", headers: { "access-control-allow-origin": "*" } })
    },
  )
  await page.evaluate((url) => fetch(url).catch(() => undefined), url)
  await page.context().close()
  expect(seen.length).toBeGreaterThan(0)
  expect(seen.some((headers) => "traceparent" in headers || "sentry-trace" in headers)).toBe(isListed)
})

/** Resolves when `XMLHttpRequest` is traced, which starts when the page is idle. */
const xhrIsTraced = (page: Page) =>
  page.waitForFunction(() => !String(XMLHttpRequest.prototype.send).includes("[native code]"))

test("an XMLHttpRequest is traced like fetch, and the page does not notice", async () => {
  const page = await visit(browser, `${app.origin}/items/1`)
  await xhrIsTraced(page)
  const foreign = `http://127.0.0.1:${collector.port}/by-xhr?from=${encodeURIComponent(app.origin)}`
  const echoed = await page.evaluate(async (foreign) => {
    interface Options {
      readonly headers?: Record<string, string>
      readonly isSynchronous?: boolean
      readonly isAborted?: boolean
    }
    const send = (url: string, { headers = {}, isSynchronous = false, isAborted = false }: Options = {}) =>
      new Promise<string>((resolve) => {
        const xhr = new XMLHttpRequest()
        xhr.onloadend = () => resolve(xhr.responseText)
        xhr.open("get", url, !isSynchronous)
        for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value)
        xhr.send()
        if (isAborted) xhr.abort()
      })
    const own = { traceparent: "00-11111111111111111111111111111111-2222222222222222-01" }
    const plain = JSON.parse(await send("/api/things/1?token=secret#part", { headers: { baggage: "a=1" } }))
    const repeated = JSON.parse(await send("/api/things/1?token=other"))
    const unchanged = JSON.parse(await send("/api/things/1", { headers: own }))
    await send("/no/such/api", { isSynchronous: true })
    await send("/api/stream", { isAborted: true })
    await send(foreign)
    return { plain, repeated, unchanged }
  }, foreign)
  const [root] = await rootsOf(page, sentry, 1)
  const { trace_id } = root!["contexts"].trace
  const things = childrenOf(root).filter(({ description }) => description === "GET /api/things/[id]")
  expect(things).toHaveLength(3)
  const [first, second] = things.sort((a, b) => a["start_timestamp"] - b["start_timestamp"])
  expect(first).toMatchObject({
    op: "http.client",
    status: "ok",
    data: {
      "http.response.status_code": 200,
      "url.full": `${app.origin}/api/things/1`,
      "url.template": "/api/things/[id]",
      "server.address": "127.0.0.1",
      "server.port": Number(new URL(app.origin).port),
    },
  })
  expect(echoed.plain.traceparent).toBe(`00-${trace_id}-${first!["span_id"]}-01`)
  expect(echoed.plain.sentryTrace).toBe(`${trace_id}-${first!["span_id"]}-1`)
  expect(echoed.plain.baggage).toMatch(/^a=1, sentry-\w+=/)
  expect(echoed.repeated.traceparent).toBe(`00-${trace_id}-${second!["span_id"]}-01`)
  expect(echoed.unchanged.traceparent).toContain("1111")
  expect(echoed.unchanged.sentryTrace).toBeNull()
  expect(named(root, "GET")).toMatchObject({ status: "not_found", data: { "error.type": "404" } })
  expect(named(root, "GET /api/stream")).toMatchObject({ status: "ok", data: { "error.type": "AbortError" } })
  expect(named(root, `GET 127.0.0.1:${collector.port}`)).toBeDefined()
  expect(childrenOf(root).filter(({ op }) => op === "resource.xmlhttprequest")).toEqual([])
  expect(JSON.stringify(root)).not.toContain("secret")
  const elsewhere = collector.requests.find(({ path }) => path.startsWith("/by-xhr"))
  expect(elsewhere?.headers).not.toHaveProperty("traceparent")
  expect(elsewhere?.headers).not.toHaveProperty("baggage")
})

test("polling and streaming by XMLHttpRequest do not keep a root open", async () => {
  const page = await visit(browser, `${app.origin}/static`)
  await xhrIsTraced(page)
  await route(page, "push", "/about")
  await shows(page, "about")
  await page.evaluate(async () => {
    const send = (url: string) => {
      const xhr = new XMLHttpRequest()
      xhr.open("GET", url)
      xhr.send()
    }
    send("/api/stream")
    for (let poll = 0; poll < 10; poll++) {
      send(`/api/things/1?poll=${poll}`)
      await new Promise((resolve) => setTimeout(resolve, 800))
    }
  })
  const root = await sentry.waitForTransaction("navigation", ({ transaction }) => transaction === "/about")
  const { data } = root["contexts"].trace
  expect(data["pagespan.end_reason"]).toBe("idle_timeout")
  const polls = childrenOf(root).filter(({ description }) => description === "GET /api/things/[id]")
  const awaited = polls.filter((poll) => poll["data"]["pagespan.polling"] !== true)
  expect(polls.length).toBeGreaterThan(awaited.length)
  for (const poll of awaited) expect(root["timestamp"]).toBeGreaterThanOrEqual(poll["start_timestamp"])
  expect(named(root, "GET /api/stream")).toMatchObject({ data: { "pagespan.end_reason": "idle_timeout" } })
  await page.context().close()
})

test("spans of OpenTelemetry's own fetch instrumentation join the page's root, in Sentry and for the collector", async () => {
  const page = await visit(browser, `${app.origin}/static`)
  await route(page, "push", "/own-otel")
  await shows(page, "own instrumentation")
  // The instrumentation ends its span about 300 ms after the response.
  const ofInstrumentation = await waitFor("its span", () =>
    pageScopes(collector).find(({ scope }) => scope?.name === "@opentelemetry/instrumentation-fetch"),
  )
  const roots = await rootsOf(page, sentry, 2)
  const [span] = ofInstrumentation["spans"]
  const root = roots.at(-1)
  expect(span.parentSpanId).toBe(root?.["contexts"].trace.span_id)
  expect(childrenOf(root).find(({ span_id }) => span_id === span.spanId)).toMatchObject({ op: "http.client" })
})
