import { hexId } from "./hex-id.ts"
import { sampleEnvelope, sampleErrors } from "./sample-errors.ts"

/**
 * What an application with pages and a server sends in an hour: page loads, navigations and requests with child spans and web
 * vitals, browser and server errors, and refused requests. Deterministic except for the time.
 */

const ROUTES = ["/", "/items/[id]", "/docs/[...slug]", "/checkout"]

const nanos = (ms: number) => `${Math.round(ms)}000000`
const text = (key: string, value: string) => ({ key, value: { stringValue: value } })
const number = (key: string, value: number) => ({ key, value: { doubleValue: value } })

interface SampleSpan {
  readonly trace: string
  readonly id: string
  readonly parent?: string
  readonly name: string
  readonly kind: number
  readonly start: number
  readonly ms: number
  readonly attributes: readonly object[]
  readonly failed?: boolean
}

function otlpSpan({ trace, id, parent, name, kind, start, ms, attributes, failed = false }: SampleSpan) {
  return {
    traceId: hexId(trace, 32),
    spanId: hexId(id, 16),
    ...(parent !== undefined && { parentSpanId: hexId(parent, 16) }),
    name,
    kind,
    startTimeUnixNano: nanos(start),
    endTimeUnixNano: nanos(start + ms),
    attributes,
    status: failed ? { code: 2, message: "it failed" } : {},
  }
}

/** OTLP/JSON with `visits` page loads over the hour before `now`, and their server spans. */
export function sampleTraces(now: number, visits = 120): object {
  const page: object[] = []
  const server: object[] = []
  for (let visit = 0; visit < visits; visit++) {
    const route = ROUTES[visit % ROUTES.length] ?? "/"
    const start = now - ((visit + 1) * 3_600_000) / (visits + 2)
    const slow = 1 + ((visit * 37) % 23) / 6
    const trace = `visit ${visit}`
    const kind = visit % 5 === 4 ? "navigation" : "pageload"
    const ms = (kind === "pageload" ? 420 : 120) * slow
    const vitals = [
      number("browser.web_vital.lcp.value", 640 * slow),
      number("browser.web_vital.cls.value", 0.03 * slow),
      number("browser.web_vital.ttfb.value", 90 * slow),
      number("browser.web_vital.fcp.value", 380 * slow),
    ]
    const root = `${trace} root`
    const attributes = [text("sentry.op", kind), text("http.route", route), text("session.id", `s${visit % 9}`)]
    page.push(
      otlpSpan({
        trace,
        id: root,
        name: route,
        kind: 1,
        start,
        ms,
        attributes: kind === "pageload" ? [...attributes, ...vitals] : attributes,
      }),
    )
    if (visit % 3 === 0)
      page.push(
        otlpSpan({
          trace,
          id: `${trace} inp`,
          parent: root,
          name: "browser.web_vital.inp",
          kind: 1,
          start: start + ms / 2,
          ms: 0,
          attributes: [number("browser.web_vital.inp.value", 60 * slow)],
        }),
      )
    const request = `${trace} request`
    const failed = visit % 17 === 16
    server.push(
      otlpSpan({
        trace,
        id: request,
        parent: root,
        name: `GET ${route}`,
        kind: 2,
        start: start + 20,
        ms: ms / 2,
        failed,
        attributes: [text("http.route", route), text("http.request.method", "GET")],
      }),
    )
    server.push(
      otlpSpan({
        trace,
        id: `${trace} query`,
        parent: request,
        name: "SELECT items",
        kind: 3,
        start: start + 30,
        ms: ms / 4,
        attributes: [text("db.system.name", "postgresql")],
      }),
    )
  }
  return {
    resourceSpans: [
      { resource: { attributes: [text("service.name", "shop-browser")] }, scopeSpans: [{ spans: page }] },
      { resource: { attributes: [text("service.name", "shop")] }, scopeSpans: [{ spans: server }] },
    ],
  }
}

/** Attachment and feedback of the newest error, and envelope items without an event. */
function sampleItems(now: number): string[] {
  const event = hexId("error 3", 32)
  const feedback = {
    event_id: hexId("feedback", 32),
    timestamp: now / 1_000,
    contexts: { feedback: { message: "Nothing happened", contact_email: "jo@shop.test", associated_event_id: event } },
  }
  const ofEvent = [
    [{ type: "attachment", filename: "cart.json", content_type: "application/json" }, { items: 3 }],
    [{ type: "feedback" }, feedback],
  ]
  const ofNone = [
    [{ type: "check_in" }, { monitor_slug: "nightly", status: "error", duration: 12.5 }],
    [{ type: "session" }, { sid: "1", status: "exited" }],
    [{ type: "quantum_report" }, { anything: true }],
  ]
  const envelopes = [
    [{ event_id: event }, ...ofEvent.flat()],
    [{}, ...ofNone.flat()],
  ]
  return envelopes.map((lines) => lines.map((line) => JSON.stringify(line)).join("\n"))
}

/** Sends all sample records, and some requests that are refused. */
export async function sendSamples(url: string, now = Date.now()): Promise<void> {
  const json = { "content-type": "application/json" }
  const answers = [
    await fetch(`${url}/v1/traces`, { method: "POST", headers: json, body: JSON.stringify(sampleTraces(now)) }),
  ]
  for (const error of sampleErrors(now))
    answers.push(await fetch(`${url}/api/1/envelope/`, { method: "POST", body: sampleEnvelope(error) }))
  for (const body of sampleItems(now)) answers.push(await fetch(`${url}/api/1/envelope/`, { method: "POST", body }))
  const bad = answers.find(({ ok }) => !ok)
  if (bad !== undefined) throw new Error(`the samples were not taken: ${bad.status} ${await bad.text()}`)
  await fetch(`${url}/v1/traces`, { method: "POST", headers: { "content-type": "text/plain" }, body: "no spans" })
  await fetch(`${url}/v1/metrics`, {
    method: "POST",
    headers: json,
    body: JSON.stringify({
      resourceMetrics: [
        { scopeMetrics: [{ metrics: [{ name: "m", sum: { dataPoints: [{ asInt: "1" }, { asInt: "2" }] } }] }] },
      ],
    }),
  })
}
