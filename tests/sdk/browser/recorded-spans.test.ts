import type { TraceAPI } from "@opentelemetry/api"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import type { Payload } from "#tests/support/recording-sentry.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { attributesOf, childrenOf, named, type OtlpSpan, pageSpans } from "./exported-spans.ts"
import { type RecordedApp, startRecordedApp } from "./recorded-app.ts"
import { open, rootsOf, route, shows, storyOf, visit } from "./visit.ts"

let { browser, sentry, collector, app } = {} as RecordedApp
let recorded: RecordedApp

/** The app has no `package.json`. A document that was rendered at build time learns the name from the tunnel. */
const SERVICE = "unknown_service-browser"

beforeAll(async () => {
  recorded = await startRecordedApp("routes")
  ;({ browser, sentry, collector, app } = recorded)
})
afterAll(() => recorded?.stop())
beforeEach(() => sentry.clear())

test("a pageload has the document's phases and its resources, with URLs without query", async () => {
  const page = await visit(browser, `${app.origin}/static?token=secret#part`)
  await page.waitForTimeout(300)
  const [root] = await rootsOf(page, sentry, 1)
  const names = childrenOf(root).map(({ description }) => description)
  expect(names).toEqual(expect.arrayContaining(["document request", "document response", "document dom"]))
  const script = childrenOf(root).find(({ op }) => op === "resource.script")
  expect(script?.["data"]["url.full"]).toMatch(/\/_next\/static\/.+\.js$/)
  expect(script).toMatchObject({ status: "ok", data: { "http.response.status_code": 200 } })
  // The phases follow each other, so their durations add up.
  expect(named(root, "document response")!["start_timestamp"]).toBe(named(root, "document request")!["timestamp"])
  expect(JSON.stringify(root)).not.toContain("secret")
  expect(root!["contexts"].trace.data["session.id"]).toMatch(/^[0-9a-f]{32}$/)
  for (const child of childrenOf(root)) {
    expect(child["timestamp"]).toBeLessThanOrEqual(root!["timestamp"])
    expect(child["start_timestamp"]).toBeGreaterThanOrEqual(root!["start_timestamp"])
  }
})

test("redirects are children of the root that they led to, both of the document and of the router", async () => {
  const page = await visit(browser, `${app.origin}/old/12`)
  await route(page, "push", "/jump")
  await shows(page, "item 9")
  const [load, navigation] = await rootsOf(page, sentry, 2)
  expect(named(load, "document redirect")).toMatchObject({ op: "browser.redirect" })
  expect(named(navigation, "redirect")).toMatchObject({ op: "navigation.redirect", data: { "url.path": "/jump" } })
})

test("a resource has its response status, and a failed one also its error type", async () => {
  const page = await visit(browser, `${app.origin}/static`)
  await route(page, "push", "/items/2")
  await page.evaluate(async () => {
    const image = new Image()
    image.src = "/no/such/image.png?token=secret"
    await image.decode().catch(() => undefined)
  })
  await shows(page, "item 2")
  // The browser reports it slightly later.
  await page.waitForTimeout(300)
  const [, root] = await rootsOf(page, sentry, 2)
  const data = { "http.response.status_code": 404, "error.type": "404" }
  expect(named(root, "/no/such/image.png")).toMatchObject({ op: "resource.img", data })
})

const blockingOf = (frame: Payload): number => frame["data"]["browser.long_animation_frame.blocking_duration"]

test("a long animation frame is a child of its root, with the script that caused it", async () => {
  const page = await visit(browser, `${app.origin}/static`)
  await page.waitForTimeout(1_500)
  await route(page, "push", "/about")
  await shows(page, "about")
  await page.evaluate(async () => {
    const { otel } = window as unknown as { otel: TraceAPI }
    const span = otel.getTracer("app").startSpan("around")
    await new Promise<void>((done) =>
      requestAnimationFrame(() => {
        for (const until = performance.now() + 150; performance.now() < until;);
        setTimeout(done, 200)
      }),
    )
    span.end()
  })
  const [, root] = await rootsOf(page, sentry, 2)
  // On a busy machine other frames are long as well.
  const [frame] = childrenOf(root)
    .filter(({ description }) => description === "long animation frame")
    .sort((a, b) => blockingOf(b) - blockingOf(a))
  expect(frame).toMatchObject({ op: "ui.long_animation_frame" })
  expect(blockingOf(frame!)).toBeGreaterThan(50)
  expect(frame!["timestamp"] - frame!["start_timestamp"]).toBeGreaterThan(0.14)
})

test("a crawler is traced like any visitor", async () => {
  const context = await browser.newContext({ userAgent: "Mozilla/5.0 (compatible; Googlebot/2.1)" })
  const page = await context.newPage()
  await open(page, `${app.origin}/items/1`)
  expect(storyOf(await rootsOf(page, sentry, 1))).toEqual(["pageload /items/[id]"])
})

test("a navigation has its transition and the request for the page's data, under which the server's span is", async () => {
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

test("a navigation that changes only the query ends with its commit, and contains its request", async () => {
  const page = await visit(browser, `${app.origin}/items/1`)
  await route(page, "push", "?page=2&token=secret")
  const root = await sentry.waitForTransaction("of the query", ({ contexts }) => contexts?.trace?.op === "navigation")
  expect(root["contexts"].trace.data["pagespan.end_reason"]).toBe("idle_timeout")
  expect(named(root, "transition")).toMatchObject({ start_timestamp: root["start_timestamp"] })
  expect(named(root, "RSC /items/[id]")).toMatchObject({ op: "http.client", data: { "next.rsc": true } })
  expect(JSON.stringify(root)).not.toContain("secret")
  await page.context().close()
})

test("every span names its page, without query and fragment", async () => {
  collector.clear()
  const page = await visit(browser, `${app.origin}/static?token=secret#part`)
  await page.waitForTimeout(1_500)
  await route(page, "push", "/items/1?token=secret#part")
  await shows(page, "item 1")
  const [load, navigation] = await rootsOf(page, sentry, 2)
  for (const [root, path] of [
    [load!, "/static"],
    [navigation!, "/items/1"],
  ] as const) {
    const ids = [root["contexts"].trace, ...childrenOf(root)].map((span) => span["span_id"] as string)
    const spans = await waitFor("the root and its children", () => {
      const found = pageSpans(collector).filter(({ spanId }) => ids.includes(spanId))
      return found.length === ids.length ? found : undefined
    })
    expect(spans.length).toBeGreaterThan(1)
    const urls = spans.map((span) => attributesOf(span)["browser.document.url.full"])
    expect(new Set(urls)).toEqual(new Set([`${app.origin}${path}`]))
  }
})

test("the data of a streamed page belongs to the navigation until its last byte", async () => {
  const page = await visit(browser, `${app.origin}/static`)
  await route(page, "push", "/slow")
  await page.getByRole("heading", { name: "late" }).waitFor()
  await sentry.waitForTransaction("of the stream", ({ transaction }) => transaction === "/slow")
  const [, root] = await rootsOf(page, sentry, 2)
  expect(root!["contexts"].trace.data["pagespan.end_reason"]).toBe("idle_timeout")
  expect(root!["timestamp"] - root!["start_timestamp"]).toBeGreaterThan(0.55)
  expect(named(root, "RSC /slow")!["timestamp"]).toBe(root!["timestamp"])
  for (const child of childrenOf(root)) expect(child["timestamp"]).toBeGreaterThanOrEqual(child["start_timestamp"])
})

test("a navigation back to a page in the router's cache ends with its commit, not a second later", async () => {
  const page = await visit(browser, `${app.origin}/static`)
  await route(page, "push", "/about")
  await shows(page, "about")
  await page.evaluate(() => history.back())
  await shows(page, "static")
  const root = await sentry.waitForTransaction("back", ({ contexts }) => {
    return contexts.trace.data["navigation.type"] === "traverse"
  })
  expect(root["contexts"].trace.data["pagespan.end_reason"]).toBe("idle_timeout")
  expect(root["timestamp"]).toBe(Math.max(...childrenOf(root).map(({ timestamp }) => timestamp)))
  await page.context().close()
})

test("an error is an event of the root in OpenTelemetry, and an error on its trace in Sentry", async () => {
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
  const span = await waitFor("the root at the collector", () =>
    pageSpans(collector).find(({ spanId }) => spanId === span_id),
  )
  const [event] = span["events"] as Payload[]
  expect(event).toMatchObject({ name: "exception" })
  expect(attributesOf(event!)).toMatchObject({ "exception.type": "TypeError", "exception.message": "boom in the page" })
})

test("web vitals are measurements of the pageload in Sentry, and spans of its trace for the collector", async () => {
  const page = await visit(browser, `${app.origin}/static`)
  await page.waitForTimeout(1_500)
  // Short interactions have no entry.
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
  const { trace_id } = root!["contexts"].trace
  const vitals = await waitFor("vitals", () => {
    const found = pageSpans(collector).filter(
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
  expect(root!["contexts"].otel.resource["service.name"]).toBe(SERVICE)
  const inp = vitals.find(({ name }) => name === "browser.web_vital.inp")!
  expect(extentOf(inp)).toBeGreaterThan(100)
  // No vital is a transaction. One that is too late for its root is sent once, by itself.
  const transactions = sentry.transactions().filter(({ contexts }) => contexts.trace.trace_id === trace_id)
  expect(transactions).toHaveLength(1)
  const byThemselves = sentry
    .items("span")
    .map(({ payload }) => payload)
    .filter((span) => span["trace_id"] === trace_id)
  expect(byThemselves.map(({ description }) => description)).toEqual(["browser.web_vital.inp"])
  expect(byThemselves[0]).toMatchObject({
    span_id: inp["spanId"],
    trace_id,
    segment_id: root!["contexts"].trace.span_id,
    is_segment: false,
    op: "ui.interaction.click",
    measurements: { inp: { value: valueOf(inp), unit: "millisecond" } },
    data: { transaction: "/static", "service.name": SERVICE },
  })
  const measurements = Object.keys(root!["measurements"]).sort()
  expect([...measurements, "inp"].sort()).toEqual(["cls", "fcp", "inp", "lcp", "ttfb"])
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
    const arrived = pageSpans(collector).filter(
      ({ name, traceId }) => traces.has(traceId) && !name.startsWith("browser.web_vital."),
    )
    return arrived.length >= idsInSentry.length && arrived.map(({ spanId }) => String(spanId))
  })
  expect(ids.sort()).toEqual(idsInSentry.map(String).sort())
})
