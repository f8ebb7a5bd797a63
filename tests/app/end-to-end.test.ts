import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { launchChromium } from "#tests/support/chromium.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { type Payload, RecordingSentry } from "#tests/support/recording-sentry.ts"
import { RunningApp } from "#tests/support/running-app.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { sendTrace } from "./screens/samples/send-trace.ts"

/** One visit: open a trace, go to the list, return to the trace. Every test checks what the visit sent. */
let sentry: RecordingSentry
let collector: RecordingCollector
let app: RunningApp
let browser: Browser
let page: Page
let traceId: string

beforeAll(async () => {
  sentry = await new RecordingSentry().listen()
  collector = await new RecordingCollector().listen()
  app = await RunningApp.start({
    SENTRY_DSN: sentry.dsn,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_BSP_SCHEDULE_DELAY: "200",
  })
  browser = await launchChromium()
  page = await browser.newPage()
  traceId = await postTrace()
  await page.goto(`${app.url}/traces/${traceId}`)
  await transaction("pageload", "/traces/[traceId]")
  await page.click('a[href="/traces"]')
  await transaction("navigation", "/traces")
  await page.click(`a[href="/traces/${traceId}"]`)
  await transaction("navigation", "/traces/[traceId]")
})

afterAll(async () => {
  await browser?.close()
  await app?.stop()
  await sentry?.close()
  await collector?.close()
})

/** Sends one span over OTLP/JSON, as another SDK does. */
async function postTrace(): Promise<string> {
  const id = "5b8efff798038103d269b633813fc60c"
  const now = BigInt(Date.now()) * 1_000_000n
  const span = {
    traceId: id,
    spanId: "eee19b7ec3c1b174",
    name: "GET /from-elsewhere",
    kind: 2,
    startTimeUnixNano: String(now),
    endTimeUnixNano: String(now + 1_234_567n),
  }
  const resource = { attributes: [{ key: "service.name", value: { stringValue: "elsewhere" } }] }
  const response = await fetch(`${app.url}/v1/traces`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] }),
  })
  expect(response.status).toBe(200)
  await waitFor("the trace in the store", async () => (await fetch(`${app.url}/api/traces/${id}`)).ok)
  return id
}

function transaction(op: string, name: string): Promise<Payload> {
  return sentry.waitForTransaction(
    `${op} ${name}`,
    (event) => event["contexts"].trace.op === op && event["transaction"] === name,
  )
}

function inSentry(spanId: string): Promise<Payload> {
  return sentry.waitForTransaction(`with span ${spanId}`, (event) => event["contexts"].trace.span_id === spanId)
}

describe("a visit of the inspector's own screens", () => {
  test("makes one pageload root, and one navigation root per click, named after routes", async () => {
    const roots = sentry.transactions().filter((event) => /pageload|navigation/.test(event["contexts"].trace.op))
    expect(roots.map((event) => [event["contexts"].trace.op, event["transaction"]])).toEqual([
      ["pageload", "/traces/[traceId]"],
      ["navigation", "/traces"],
      ["navigation", "/traces/[traceId]"],
    ])
    for (const root of roots) {
      expect(root["transaction_info"].source).toBe("route")
      expect(root["contexts"].trace.data["http.route"]).toBe(root["transaction"])
    }
    expect(roots[0]!["contexts"].trace.data["url.path"]).toBe(`/traces/${traceId}`)
    expect(new Set(roots.map((event) => event["contexts"].trace.trace_id)).size).toBe(3)
  })

  test("makes the pageload a child of the server's span for the same request", async () => {
    const pageload = await transaction("pageload", "/traces/[traceId]")
    const server = await inSentry(pageload["contexts"].trace.parent_span_id)
    expect(server["transaction"]).toBe("GET /traces/[traceId]")
    expect(server["contexts"].trace).toMatchObject({
      trace_id: pageload["contexts"].trace.trace_id,
      op: "http.server",
      status: "ok",
    })
  })

  test("makes the page's fetches children of the navigation, and the server's spans children of those", async () => {
    const navigation = await transaction("navigation", "/traces")
    const fetches = navigation["spans"].filter((span: Payload) => span["op"] === "http.client")
    expect(fetches.map((span: Payload) => span["description"])).toContain("RSC /traces")
    const request = fetches.find((span: Payload) => span["description"] === "RSC /traces")
    const served = await sentry.waitForTransaction(
      "of the server for the fetch",
      (event) => event["contexts"].trace.parent_span_id === request.span_id,
    )
    expect(served["transaction"]).toBe("RSC GET /traces")
    expect(served["contexts"].trace.trace_id).toBe(navigation["contexts"].trace.trace_id)
  })

  test("links each navigation to the previous page", async () => {
    const pageload = await transaction("pageload", "/traces/[traceId]")
    const navigation = await transaction("navigation", "/traces")
    expect(navigation["contexts"].trace.links).toMatchObject([
      { trace_id: pageload["contexts"].trace.trace_id, span_id: pageload["contexts"].trace.span_id },
    ])
  })

  test("sends every envelope of a trace with that trace's sampling context", () => {
    for (const { envelope, payload } of sentry.items("transaction"))
      expect(envelope.header["trace"]).toMatchObject({
        trace_id: payload["contexts"].trace.trace_id,
        public_key: sentry.key,
        environment: "production",
        sampled: "true",
      })
  })

  test("gives a collector the same spans as Sentry, with the same ids and names", async () => {
    for (const event of sentry.transactions()) {
      const { span_id, trace_id, parent_span_id } = event["contexts"].trace
      const span = await collector.waitForSpan(event["transaction"], ({ spanId }) => spanId === span_id)
      expect(span).toMatchObject({ name: event["transaction"], traceId: trace_id })
      expect(span.parentSpanId).toBe(parent_span_id)
      for (const child of event["spans"]) {
        const childSpan = await collector.waitForSpan(child.description, ({ spanId }) => spanId === child.span_id)
        expect(childSpan).toMatchObject({ name: child.description, parentSpanId: child.parent_span_id })
      }
    }
  })

  test("shows browser and server spans of one trace in one waterfall", async () => {
    const pageload = await transaction("pageload", "/traces/[traceId]")
    const id = pageload["contexts"].trace.trace_id
    await waitFor("both services in the store", async () => {
      const { traces } = (await (await fetch(`${app.url}/api/traces`)).json()) as { traces: Payload[] }
      return traces.find((trace) => trace["traceId"] === id)?.["services"].length === 2
    })
    await page.goto(`${app.url}/traces/${id}`)
    const rows = page.getByRole("treegrid").getByRole("row")
    await rows.filter({ hasText: "GET /traces/[traceId]" }).first().waitFor()
    const names = await rows.allInnerTexts()
    expect(names.some((text) => text.includes("/traces/[traceId]") && text.includes("pagespan-browser"))).toBe(true)
    expect(await rows.nth(1).getAttribute("aria-level")).toBe("1")
  })

  test("lists a trace that arrives while the list is open, without a reload", async () => {
    await page.goto(`${app.url}/traces`)
    await page.getByRole("link", { name: "GET /from-elsewhere" }).first().waitFor()
    await sendTrace(app.url, "arrived just now")
    await page.getByRole("link", { name: "arrived just now" }).waitFor()
  })

  test.each(["/", "/v1/trace", "/otlp/v1/traces"])("names the right paths to OTLP that is sent to %s", async (path) => {
    const post = { method: "POST", headers: { "content-type": "application/json" }, body: `{"resourceSpans":[]}` }
    const response = await fetch(`${app.url}${path}`, post)
    expect(response.status).toBe(404)
    expect((await response.json()) as Payload).toMatchObject({ message: expect.stringContaining("/v1/traces") })
    await waitFor("the drop", async () => {
      const { dropped } = (await (await fetch(`${app.url}/api/dropped`)).json()) as { dropped: Payload[] }
      return dropped.some(
        (drop) => drop["reason"] === "malformed" && String(drop["sample"]).startsWith(`path "${path}" · from `),
      )
    })
  })

  test.each(["/v1/traces/", "//v1/traces"])("ingests OTLP that is sent to %s", async (path) => {
    const post = { method: "POST", headers: { "content-type": "application/json" }, body: `{"resourceSpans":[]}` }
    expect((await fetch(`${app.url}${path}`, post)).status).toBe(200)
  })

  test("shows how to connect another SDK at once", async () => {
    await page.goto(`${app.url}/connect`)
    expect(await page.getByText(new URL(app.url).host).count()).toBeGreaterThan(0)
    expect(await page.getByText("OTEL_EXPORTER_OTLP_ENDPOINT").count()).toBeGreaterThan(0)
  })

  test("makes no spans of the inspector's own handlers, tunnel, feed and health", () => {
    const requests = collector.spans().filter(({ kind }) => kind === "server" || kind === "client")
    const own = requests
      .map(({ name }) => name)
      .filter((name) => /\/v1\/|\/monitoring|\/live|\/health|_next/.test(name))
    expect(own).toEqual([])
    expect(requests.length).toBeGreaterThan(0)
  })

  test("lists a trace for each page and navigation, and none for the inspector's own handlers", async () => {
    const own = async () => {
      const { traces } = (await (await fetch(`${app.url}/api/traces`)).json()) as { traces: Payload[] }
      return traces.filter(({ services }) => services.includes("pagespan")).map(({ name }) => name)
    }
    expect((await own()).length).toBeGreaterThan(0)
    // A trace has the name of its earliest span until its root arrives.
    await waitFor("no trace but those of pages", async () =>
      (await own()).every((name) => /^(?:(?:RSC )?GET )?\/(?:$|traces|connect|api)/.test(name)),
    )
  })

  test("sends no request to another origin", async () => {
    const foreign: string[] = []
    page.on("request", (request) => {
      if (!request.url().startsWith(app.url) && !request.url().startsWith("data:")) foreign.push(request.url())
    })
    await page.goto(`${app.url}/`)
    await page.waitForTimeout(1_500)
    expect(foreign).toEqual([])
  })
})
