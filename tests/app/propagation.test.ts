import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { RecordingSentry } from "#tests/support/recording-sentry.ts"
import { RunningApp } from "#tests/support/running-app.ts"

const PARENT_SPAN = "00f067aa0ba902b7"

let sentry: RecordingSentry
let collector: RecordingCollector
let app: RunningApp
let traces = 0

beforeAll(async () => {
  sentry = await new RecordingSentry().listen()
  collector = await new RecordingCollector().listen()
  app = await RunningApp.start({
    SENTRY_DSN: sentry.dsn,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_BSP_SCHEDULE_DELAY: "100",
  })
})

afterAll(async () => {
  await app?.stop()
  await sentry?.close()
  await collector?.close()
})

function newTraceId(): string {
  traces += 1
  return `4bf92f3577b34da6a3ce929d0e0e${(0x1000 + traces).toString(16)}`
}

/** Requests a page as another service does, and waits for the server's span in that trace. */
async function requestIn(traceId: string, headers: Record<string, string>) {
  const html = await (await fetch(`${app.url}/connect`, { headers })).text()
  const span = await collector.waitForSpan("of the server", (candidate) => {
    return candidate.traceId === traceId && candidate.name === "GET /connect"
  })
  return { html, span }
}

function meta(html: string, name: string): string | undefined {
  return new RegExp(`<meta name="${name}" content="([^"]*)"`).exec(html)?.[1]
}

describe("a request with a trace", () => {
  test("in traceparent alone continues it, as any OpenTelemetry service sends it", async () => {
    const traceId = newTraceId()
    const { html, span } = await requestIn(traceId, { traceparent: `00-${traceId}-${PARENT_SPAN}-01` })
    expect(span.parentSpanId).toBe(PARENT_SPAN)
    expect(meta(html, "traceparent")).toBe(`00-${traceId}-${span.spanId}-01`)
    expect(meta(html, "sentry-trace")).toBe(`${traceId}-${span.spanId}-1`)
  })

  test("in sentry-trace and baggage continues it in a sampling context of this server's own", async () => {
    const traceId = newTraceId()
    const baggage = `sentry-trace_id=${traceId},sentry-public_key=${sentry.key},sentry-environment=elsewhere,sentry-sampled=true`
    const { html, span } = await requestIn(traceId, { "sentry-trace": `${traceId}-${PARENT_SPAN}-1`, baggage })
    expect(span.parentSpanId).toBe(PARENT_SPAN)
    expect(meta(html, "baggage")).toContain("sentry-environment=production")
    await sentry.waitForTransaction("of the server", (event) => event["contexts"].trace.trace_id === traceId)
    const sent = sentry.items("transaction").find(({ payload }) => payload["contexts"].trace.trace_id === traceId)
    expect(sent?.envelope.header["trace"]).toMatchObject({ trace_id: traceId, environment: "production" })
  })

  test("in two headers that differ continues the one of traceparent", async () => {
    const traceId = newTraceId()
    const { span } = await requestIn(traceId, {
      traceparent: `00-${traceId}-${PARENT_SPAN}-01`,
      "sentry-trace": `${newTraceId()}-1111111111111111-1`,
    })
    expect(span.parentSpanId).toBe(PARENT_SPAN)
  })

  test("sends no Sentry entries in tracestate, where their commas would break it", async () => {
    const traceId = newTraceId()
    const { html } = await requestIn(traceId, {
      "sentry-trace": `${traceId}-${PARENT_SPAN}-1`,
      baggage: `sentry-trace_id=${traceId},sentry-public_key=${sentry.key}`,
    })
    expect(html).not.toMatch(/name="tracestate"/)
    expect(meta(html, "traceparent")).toMatch(new RegExp(`^00-${traceId}-`))
  })
})

describe("a page's HTML", () => {
  test("carries a trace of its own for each request, and the settings of this server", async () => {
    const ids = new Set<string>()
    for (let visit = 0; visit < 3; visit++) {
      const html = await (await fetch(`${app.url}/connect`)).text()
      ids.add(meta(html, "traceparent")?.split("-")[1] ?? "none")
      const settings = JSON.parse((meta(html, "pagespan") ?? "").replaceAll("&quot;", '"')) as object
      expect(settings).toEqual({
        service: "pagespan-browser",
        environment: "production",
        dsn: sentry.dsn,
        tunnel: "/monitoring",
      })
    }
    expect(ids.size).toBe(3)
  })
})
