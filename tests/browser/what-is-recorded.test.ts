import type { Browser } from "playwright-core"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { launchChromium } from "#tests/support/chromium.ts"
import { type Payload, RecordingSentry } from "#tests/support/recording-sentry.ts"
import { RecordingServer } from "#tests/support/recording-server.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { type AppUnderTest, startApp } from "./app-under-test.ts"
import { rootsOf, route, shows, visit } from "./visit.ts"

let browser: Browser
let sentry: RecordingSentry
let collector: RecordingServer
let app: AppUnderTest

beforeAll(async () => {
  browser = await launchChromium()
  sentry = await new RecordingSentry().listen()
  collector = await new RecordingServer().listen()
  app = await startApp("routes", {
    environment: {
      SENTRY_DSN: sentry.dsn,
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    },
  })
}, 240_000)

afterAll(async () => {
  await app?.stop()
  await browser?.close()
  await sentry?.close()
  await collector?.close()
})

beforeEach(() => {
  sentry.clear()
  collector.clear()
})

type OtlpSpan = Payload

/** What of the pages reached the collector. */
function pageSpans(): OtlpSpan[] {
  return collector.requests.flatMap(({ body }) =>
    (JSON.parse(body.toString()) as Payload)["resourceSpans"].flatMap((group: Payload) => {
      const attributes = attributesOf(group["resource"])
      if (attributes["telemetry.sdk.language"] !== "webjs") return []
      return group["scopeSpans"].flatMap(({ spans }: Payload) => spans)
    }),
  )
}

function attributesOf({ attributes }: Payload): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }: Payload) => [key, Object.values(value as Record<string, unknown>)[0]]),
  )
}

const childrenOf = (root: Payload | undefined): Payload[] => root?.["spans"] ?? []
const named = (root: Payload | undefined, name: string) =>
  childrenOf(root).find(({ description }) => description === name)

test("a pageload holds the document's phases and its resources, by addresses without query", async () => {
  const page = await visit(browser, `${app.origin}/static?token=secret#part`)
  await page.waitForTimeout(300)
  const [root] = await rootsOf(page, sentry, 1)
  const names = childrenOf(root).map(({ description }) => description)
  expect(names).toEqual(expect.arrayContaining(["document request", "document response", "document dom"]))
  const script = childrenOf(root).find(({ op }) => op === "resource.script")
  expect(script?.["data"]["url.full"]).toMatch(/\/_next\/static\/.+\.js$/)
  expect(JSON.stringify(root)).not.toContain("secret")
  expect(root!["contexts"].trace.data["session.id"]).toMatch(/^[0-9a-f]{32}$/)
  for (const child of childrenOf(root)) {
    expect(child["timestamp"]).toBeLessThanOrEqual(root!["timestamp"])
    expect(child["start_timestamp"]).toBeGreaterThanOrEqual(root!["start_timestamp"])
  }
})

test("a navigation holds its transition and the request for the page's data, under which the server's span hangs", async () => {
  const page = await visit(browser, `${app.origin}/static`)
  await route(page, "push", "/items/1?token=secret")
  await shows(page, "item 1")
  await page.waitForTimeout(100)
  const [, root] = await rootsOf(page, sentry, 2)
  const transition = named(root, "transition")
  const rsc = named(root, "RSC /items/[id]")
  expect(transition).toMatchObject({ op: "ui.transition", start_timestamp: root!["start_timestamp"] })
  expect(rsc).toMatchObject({ op: "http.client", data: { "http.response.status_code": 200, "next.rsc": true } })
  expect(JSON.stringify(root)).not.toContain("secret")
  const server = await sentry.waitForTransaction("of the server", ({ platform, contexts }) => {
    return platform === "node" && contexts.trace.trace_id === root!["contexts"].trace.trace_id
  })
  expect(server["contexts"].trace.parent_span_id).toBe(rsc?.["span_id"])
})

test("the data of a page that streams belongs to the navigation until its last byte", async () => {
  const page = await visit(browser, `${app.origin}/static`)
  await route(page, "push", "/slow")
  await page.getByRole("heading", { name: "late" }).waitFor()
  await page.waitForTimeout(1_400)
  const [, root] = await rootsOf(page, sentry, 2)
  expect(root!["contexts"].trace.data["pagespan.end_reason"]).toBe("idle_timeout")
  expect(root!["timestamp"] - root!["start_timestamp"]).toBeGreaterThan(0.55)
  expect(named(root, "RSC /slow")!["timestamp"]).toBe(root!["timestamp"])
})

test("a server action and the app's own requests are named by what serves them", async () => {
  const page = await visit(browser, `${app.origin}/action`)
  await page.evaluate(async () => {
    await fetch("/api/things/7?token=secret")
    await fetch("/no/such/api").catch(() => undefined)
  })
  await page.getByRole("button", { name: "go" }).click()
  await shows(page, "item 5")
  const [root] = await rootsOf(page, sentry, 2)
  expect(named(root, "GET /api/things/[id]")).toMatchObject({ data: { "http.request.method": "GET" }, status: "ok" })
  expect(named(root, "ACTION /action")).toBeDefined()
  expect(named(root, "GET")).toMatchObject({ status: "not_found", data: { "error.type": "404" } })
  expect(JSON.stringify(root)).not.toContain("secret")
})

test("a repeated request, a stream and a prefetch do not keep a root open, and carry its trace all the same", async () => {
  const page = await visit(browser, `${app.origin}/prefetching`)
  const startedAt = Date.now()
  const seen = await page.evaluate(async () => {
    void fetch("/api/stream")
    const answers: string[] = []
    for (let poll = 0; poll < 12; poll++) {
      const told = (await (await fetch(`/api/things/1?poll=${poll}`)).json()) as { traceparent: string }
      answers.push(told.traceparent)
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    return answers
  })
  expect(Date.now() - startedAt).toBeGreaterThan(2_000)
  const root = await sentry.waitForTransaction("pageload", ({ transaction }) => transaction === "/prefetching")
  const { trace_id, span_id, data } = root["contexts"].trace
  expect(data["pagespan.end_reason"]).toBe("idle_timeout")
  expect(childrenOf(root).filter(({ description }) => description === "GET /api/things/[id]")).toHaveLength(1)
  expect(childrenOf(root).filter(({ description }) => description?.startsWith("RSC"))).toEqual([])
  expect(named(root, "GET /api/stream")).toMatchObject({ data: { "pagespan.end_reason": "idle_timeout" } })
  expect(seen.slice(1)).toEqual(Array.from({ length: 11 }, () => `00-${trace_id}-${span_id}-01`))
  await page.context().close()
})

test("back to a page that the router has kept ends with its commit, not a second later", async () => {
  const page = await visit(browser, `${app.origin}/static`)
  await route(page, "push", "/about")
  await shows(page, "about")
  await page.evaluate(() => history.back())
  await shows(page, "static")
  const root = await sentry.waitForTransaction("back", ({ contexts }) => {
    return contexts.trace.data["navigation.type"] === "traverse"
  })
  expect(root["contexts"].trace.data["pagespan.end_reason"]).toBe("idle_timeout")
  expect(root["timestamp"] - root["start_timestamp"]).toBeLessThan(0.9)
  expect(root["timestamp"]).toBe(Math.max(...childrenOf(root).map(({ timestamp }) => timestamp)))
  await page.context().close()
})

test("trace headers go to the page's own origin and nowhere else, and what the page set itself is kept", async () => {
  // A page that was made at build time learns its Sentry project, and so its baggage, only once it is idle.
  const page = await visit(browser, `${app.origin}/items/1`)
  const foreign = `http://127.0.0.1:${collector.port}/elsewhere?from=${encodeURIComponent(app.origin)}`
  const told = await page.evaluate(async (foreign) => {
    await fetch(foreign).catch(() => undefined)
    const own = { traceparent: "00-11111111111111111111111111111111-2222222222222222-01" }
    return {
      plain: await (await fetch("/api/things/1", { headers: { baggage: "a=1" } })).json(),
      own: await (await fetch("/api/things/2", { headers: own })).json(),
    }
  }, foreign)
  expect(told.plain.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
  expect(told.plain.sentryTrace).toContain(told.plain.traceparent.split("-")[1])
  expect(told.plain.baggage).toMatch(/^a=1, sentry-\w+=/)
  expect(told.own.traceparent).toContain("1111")
  expect(told.own.sentryTrace).toBeNull()
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
])("of other origins exactly those that are listed see the trace: %s %s", async (url, isListed) => {
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

test("an error is an event of the root in OpenTelemetry, and an error of its trace in Sentry", async () => {
  const page = await visit(browser, `${app.origin}/items/1`)
  await page.evaluate(() => {
    setTimeout(() => {
      throw new TypeError("boom in the page")
    }, 0)
  })
  const error = await sentry.waitForError("boom", ({ exception }) => exception?.values[0].value === "boom in the page")
  const [root] = await rootsOf(page, sentry, 1)
  const { trace_id, span_id } = root!["contexts"].trace
  expect(error).toMatchObject({
    transaction: "/items/[id]",
    contexts: { trace: { trace_id, span_id } },
    exception: { values: [{ type: "TypeError", mechanism: { handled: false } }] },
  })
  expect(error["exception"].values[0].stacktrace.frames.length).toBeGreaterThan(0)
  const span = await waitFor("the root at the collector", () => pageSpans().find(({ spanId }) => spanId === span_id))
  const [event] = span["events"] as Payload[]
  expect(event).toMatchObject({ name: "exception" })
  expect(attributesOf(event!)).toMatchObject({ "exception.type": "TypeError", "exception.message": "boom in the page" })
})

test("web vitals reach the pageload as measurements, and each the collector as a span of its trace", async () => {
  const page = await visit(browser, `${app.origin}/static`)
  await page.waitForTimeout(1_500)
  // An interaction is only worth an entry when it takes a while.
  await page.evaluate(() => {
    document.querySelector("h1")?.addEventListener("click", () => {
      for (const until = performance.now() + 120; performance.now() < until;);
    })
  })
  await page.getByRole("heading").click()
  await page.waitForTimeout(500)
  const [root] = await rootsOf(page, sentry, 1)
  expect(Object.keys(root!["measurements"])).toEqual(expect.arrayContaining(["ttfb", "fcp", "lcp"]))
  expect(root!["measurements"].lcp).toMatchObject({ value: expect.any(Number), unit: "millisecond" })
  const vitals = await waitFor("vitals", () => {
    const { trace_id } = root!["contexts"].trace
    const found = pageSpans().filter(
      ({ traceId, name }) => traceId === trace_id && name.startsWith("browser.web_vital."),
    )
    return found.length >= 5 && found
  })
  expect(vitals.map(({ name }) => name).sort()).toEqual([
    "browser.web_vital.cls",
    "browser.web_vital.fcp",
    "browser.web_vital.inp",
    "browser.web_vital.lcp",
    "browser.web_vital.ttfb",
  ])
  for (const vital of vitals) {
    expect(vital["parentSpanId"]).toBe(root!["contexts"].trace.span_id)
  }
  const lcp = vitals.find(({ name }) => name === "browser.web_vital.lcp")!
  expect(attributesOf(lcp)["browser.web_vital.lcp.element"]).toMatch(/^html>body/)
  const extentOf = ({ startTimeUnixNano, endTimeUnixNano }: OtlpSpan) =>
    Number(BigInt(endTimeUnixNano) - BigInt(startTimeUnixNano)) / 1e6
  const valueOf = (vital: OtlpSpan) => Number(attributesOf(vital)[`${vital["name"]}.value`])
  for (const vital of vitals) {
    const isMoment = vital["name"] === "browser.web_vital.cls"
    expect(extentOf(vital)).toBeCloseTo(isMoment ? 0 : valueOf(vital), 0)
  }
  const inp = vitals.find(({ name }) => name === "browser.web_vital.inp")!
  expect(extentOf(inp)).toBeGreaterThan(100)
  // No vital is a transaction; what its root could not tell any more goes by itself, once.
  expect(sentry.transactions().filter(({ platform }) => platform === "javascript")).toHaveLength(1)
  const byThemselves = sentry.items("span").map(({ payload }) => payload)
  expect(byThemselves.map(({ description }) => description)).toEqual(["browser.web_vital.inp"])
  expect(byThemselves[0]).toMatchObject({
    span_id: inp["spanId"],
    trace_id: root!["contexts"].trace.trace_id,
    segment_id: root!["contexts"].trace.span_id,
    is_segment: false,
    op: "ui.interaction.click",
    measurements: { inp: { value: valueOf(inp), unit: "millisecond" } },
    data: { transaction: "/static" },
  })
  const told = Object.keys(root!["measurements"]).sort()
  expect([...told, "inp"].sort()).toEqual(["cls", "fcp", "inp", "lcp", "ttfb"])
})

test("Sentry and the collector get the same spans", async () => {
  const page = await visit(browser, `${app.origin}/static`)
  await route(page, "push", "/items/1")
  await shows(page, "item 1")
  const roots = await rootsOf(page, sentry, 2)
  const idsInSentry = roots.flatMap((root) => [
    root["contexts"].trace.span_id,
    ...childrenOf(root).flatMap(({ span_id, op }) => (op.startsWith("ui.webvital.") ? [] : [span_id])),
  ])
  const ids = await waitFor("the collector's spans", () => {
    const traces = new Set(roots.map((root) => root["contexts"].trace.trace_id))
    const arrived = pageSpans().filter(
      ({ name, traceId }) => traces.has(traceId) && !name.startsWith("browser.web_vital."),
    )
    return arrived.length >= idsInSentry.length && arrived.map(({ spanId }) => String(spanId))
  })
  expect(ids.sort()).toEqual(idsInSentry.map(String).sort())
})

test("spans of OpenTelemetry's own fetch instrumentation join the page's root, in Sentry and for the collector", async () => {
  const page = await visit(browser, `${app.origin}/static`)
  await route(page, "push", "/own-otel")
  await shows(page, "own instrumentation")
  // The instrumentation ends its span some 300 ms after the answer.
  const ofInstrumentation = await waitFor("its span", () =>
    collector.requests
      .flatMap(({ body }) => (JSON.parse(body.toString()) as Payload)["resourceSpans"])
      .flatMap((group: Payload) => group["scopeSpans"])
      .find(({ scope }: Payload) => scope?.name === "@opentelemetry/instrumentation-fetch"),
  )
  const roots = await rootsOf(page, sentry, 2)
  const [span] = ofInstrumentation.spans
  const root = roots.at(-1)
  expect(span.parentSpanId).toBe(root?.["contexts"].trace.span_id)
  expect(childrenOf(root).find(({ span_id }) => span_id === span.spanId)).toMatchObject({ op: "http.client" })
})
