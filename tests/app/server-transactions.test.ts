import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { type Payload, RecordingSentry } from "#tests/support/recording-sentry.ts"
import { RunningApp } from "#tests/support/running-app.ts"
import { sleep, waitFor } from "#tests/support/wait-for.ts"

/** What a server sends to Sentry and over OTLP for requests without a browser. */
let sentry: RecordingSentry
let collector: RecordingCollector
let app: RunningApp

beforeAll(async () => {
  sentry = await new RecordingSentry().listen()
  collector = await new RecordingCollector().listen()
  app = await RunningApp.start({
    SENTRY_DSN: sentry.dsn,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_BSP_SCHEDULE_DELAY: "100",
  })
})

afterAll(async () => {
  await app?.stop()
  await sentry?.close()
  await collector?.close()
})

beforeEach(() => {
  sentry.clear()
  collector.clear()
})

function serverTransaction(name: string): Promise<Payload> {
  return sentry.waitForTransaction(name, (event) => event["transaction"] === name)
}

describe("a request", () => {
  const headers = {
    "user-agent": "test-agent/1",
    authorization: "Bearer hunter2hunter2",
    cookie: "sid=hunter2",
    "x-forwarded-for": "203.0.113.7",
  }

  test("becomes one transaction, named by its route, with old and new names of its attributes", async () => {
    await fetch(`${app.url}/traces?q=shop&token=hunter2#here`, { headers })
    const event = await serverTransaction("GET /traces")
    expect(event["transaction_info"]).toEqual({ source: "route" })
    expect(event["contexts"].trace).toMatchObject({ op: "http.server", status: "ok", origin: "auto.otel.pagespan" })
    expect(event["contexts"].trace).not.toHaveProperty("parent_span_id")
    expect(event["contexts"].trace.data).toMatchObject({
      "http.method": "GET",
      "http.request.method": "GET",
      "http.status_code": 200,
      "http.response.status_code": 200,
      "http.target": "/traces",
      "url.path": "/traces",
      "http.route": "/traces",
      "user_agent.original": "test-agent/1",
    })
    expect(event["contexts"].response).toEqual({ status_code: 200 })
    expect(event["contexts"].otel.resource).toMatchObject({ "service.name": "pagespan" })
    expect(event["request"]).toMatchObject({
      method: "GET",
      url: `${app.url}/traces`,
      headers: { "user-agent": "test-agent/1" },
    })
    for (const child of event["spans"]) {
      expect(child.start_timestamp).toBeGreaterThanOrEqual(event["start_timestamp"])
      expect(child.timestamp).toBeLessThanOrEqual(event["timestamp"])
    }
    await sleep(300)
    expect(sentry.transactions().filter((other) => other["transaction"] === "GET /traces")).toHaveLength(1)
  })

  test("leaves no query, cookie, credential or sender's address in anything that is sent", async () => {
    await fetch(`${app.url}/traces?token=hunter2`, { headers })
    await serverTransaction("GET /traces")
    await waitFor("the spans in the collector", () => collector.spans().length > 0)
    for (const { body, path } of [...sentry.requests, ...collector.requests]) {
      expect(`${path} ${body.toString()}`).not.toContain("hunter2")
      expect(`${path} ${body.toString()}`).not.toContain("203.0.113.7")
    }
  })

  test("is the same span in OTLP, attribute by attribute", async () => {
    await fetch(`${app.url}/connect?token=hunter2`, { headers })
    const event = await serverTransaction("GET /connect")
    const { span_id, data } = event["contexts"].trace
    const span = await collector.waitForSpan("of the request", ({ spanId }) => spanId === span_id)
    const attributes = Object.fromEntries(
      [...span.attributes].map(([key, value]) => [key, typeof value === "bigint" ? Number(value) : value]),
    )
    expect(attributes).toEqual(data)
  })

  test("continues the trace of a caller that sends traceparent, and one that sends Sentry's headers, whose rate does not apply", async () => {
    const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
    await fetch(`${app.url}/connect`, { headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` } })
    const first = await serverTransaction("GET /connect")
    expect(first["contexts"].trace).toMatchObject({ trace_id: traceId, parent_span_id: "00f067aa0ba902b7" })
    sentry.clear()
    await fetch(`${app.url}/connect`, {
      headers: {
        "sentry-trace": "aaaabbbbccccddddeeeeffff00001111-1111222233334444-1",
        baggage: "sentry-trace_id=aaaabbbbccccddddeeeeffff00001111,sentry-sample_rate=0.25,sentry-sampled=true",
      },
    })
    const second =
      sentry.items("transaction")[0] ?? (await serverTransaction("GET /connect"), sentry.items("transaction")[0])
    expect(second?.payload["contexts"].trace).toMatchObject({
      trace_id: "aaaabbbbccccddddeeeeffff00001111",
      parent_span_id: "1111222233334444",
    })
    expect(second?.envelope.header["trace"]).toMatchObject({
      trace_id: "aaaabbbbccccddddeeeeffff00001111",
      sample_rate: "1",
      sampled: "true",
    })
  })

  test("has the same sampling context in the HTML as in the envelope", async () => {
    const html = await (await fetch(`${app.url}/connect`)).text()
    await serverTransaction("GET /connect")
    const baggage = /<meta name="baggage" content="([^"]*)"/.exec(html)?.[1] ?? ""
    const context = Object.fromEntries(
      baggage.split(",").map((entry) => {
        const [key, value] = entry.split("=")
        return [key?.replace("sentry-", ""), decodeURIComponent(value ?? "")]
      }),
    )
    expect(context).toMatchObject({ sampled: "true", sample_rate: "1", transaction: "GET /connect" })
    expect(sentry.items("transaction")[0]?.envelope.header["trace"]).toEqual(context)
  })
})

describe("a request that is noise", () => {
  test("makes no transaction and no span: own handlers, assets, metadata files, module loading, tunnel", async () => {
    const html = await (await fetch(`${app.url}/connect`)).text()
    const asset = /\/_next\/static\/[^"]+\.js/.exec(html)?.[0]
    expect(asset).toBeDefined()
    await serverTransaction("GET /connect")
    sentry.clear()
    collector.clear()
    const paths = ["/health", "/icon.svg", "/favicon.ico", asset ?? "", "/_next/static/no-such-file.js", "/live"]
    const stop = new AbortController()
    for (const path of paths) await fetch(`${app.url}${path}`, { signal: stop.signal }).catch(() => undefined)
    stop.abort()
    const post = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" }
    for (const path of ["/v1/traces", "/v1/logs", "/v1/metrics", "/monitoring"]) await fetch(`${app.url}${path}`, post)
    await fetch(`${app.url}/monitoring`, { method: "POST", body: "{}\n" })
    await fetch(`${app.url}/traces`)
    await serverTransaction("GET /traces")
    await waitFor("the spans in the collector", () => collector.spans().some(({ name }) => name === "GET /traces"))
    expect(sentry.transactions().map((event) => event["transaction"])).toEqual(["GET /traces"])
    expect(new Set(collector.spans().map(({ traceId }) => traceId)).size).toBe(1)
  })
})
