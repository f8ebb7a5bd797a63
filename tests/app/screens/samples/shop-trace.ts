import type { SpanJson } from "#otel/protocol/otlp/traces-json.ts"

/** One visit of a shop as SDKs send it: a page, the server that rendered it, and an API. */

export const VISIT = "5b8efff798038103d269b633813fc601"
export const SLOWER_VISIT = "5b8efff798038103d269b633813fc602"

/** Numbers of the spans of a visit. */
export const SPAN = { request: 1, page: 2, render: 3, fetch: 4, items: 5, query: 6, reco: 10, recoServer: 12 } as const

export function idOf(visit: string, number: number): string {
  return visit.slice(-3) + number.toString(16).padStart(13, "0")
}

interface Sketch {
  readonly kind?: number
  readonly attributes?: Readonly<Record<string, string | number | readonly string[]>>
  readonly events?: readonly (readonly [name: string, at: number, attributes: Readonly<Record<string, string>>])[]
  readonly error?: string
}

/** @param slower additional milliseconds of the query and of all spans that wait for it. */
export function visit(traceId: string, startMs: number, slower = 0) {
  const start = BigInt(startMs) * 1_000_000n
  const at = (ms: number) => String(start + BigInt(Math.round(ms * 1e6)))
  const span = (
    number: number,
    parent: number,
    name: string,
    from: number,
    to: number,
    more: Sketch = {},
  ): SpanJson => ({
    traceId,
    spanId: idOf(traceId, number),
    ...(parent > 0 && { parentSpanId: idOf(traceId, parent) }),
    name,
    kind: more.kind ?? 1,
    startTimeUnixNano: at(from),
    endTimeUnixNano: at(to),
    attributes: attributesOf(more.attributes),
    events: (more.events ?? []).map(([name, ms, attributes]) => ({
      timeUnixNano: at(ms),
      name,
      attributes: attributesOf(attributes),
    })),
    status: more.error === undefined ? {} : { code: 2, message: more.error },
  })
  const vital = (number: number, name: string, ms: number, value: number, rating: string) =>
    span(number, SPAN.page, `browser.web_vital.${name}`, ms, ms, {
      attributes: { [`browser.web_vital.${name}.value`]: value, [`browser.web_vital.${name}.rating`]: rating },
    })
  return {
    resourceSpans: [
      resourceOf("web", [
        span(SPAN.request, 0, "GET /shop/[item]", 12, 90 + slower, {
          kind: 2,
          attributes: { "http.request.method": "GET", "http.route": "/shop/[item]" },
        }),
        span(SPAN.render, SPAN.request, "render route /shop/[item]", 20, 80 + slower),
        span(SPAN.fetch, SPAN.render, "GET http://api/items", 25, 60 + slower, {
          kind: 3,
          attributes: {
            "http.request.method": "POST",
            "url.full": "http://user:hunter2@api:8080/items?api_key=hunter2&q=it's",
            "http.request.header.accept": ["application/json"],
          },
        }),
      ]),
      resourceOf("browser", [
        span(SPAN.page, SPAN.request, "/shop/[item]", 0, 1_800, {
          attributes: { "sentry.op": "pageload", "http.route": "/shop/[item]" },
          events: [["domInteractive", 400, {}]],
        }),
        span(SPAN.reco, SPAN.page, "GET /api/reco", 500, 900, { kind: 3 }),
        vital(20, "ttfb", 95, 95.2, "good"),
        vital(21, "fcp", 620, 620, "good"),
        vital(22, "lcp", 1_450, 1_450, "good"),
        vital(23, "cls", 1_500, 0.31, "poor"),
        vital(24, "inp", 1_700, 240, "needs-improvement"),
      ]),
      resourceOf("api", [
        // Clock skew: starts before the call that it answers.
        span(SPAN.items, SPAN.fetch, "GET /items/{id}", 18, 55 + slower, { kind: 2 }),
        span(SPAN.query, SPAN.items, "SELECT items", 30, 48 + slower, {
          kind: 3,
          attributes: { "db.system.name": "postgresql", "server.port": 5432 },
        }),
        span(SPAN.recoServer, SPAN.reco, "GET /reco", 520, 880, {
          kind: 2,
          error: "upstream timed out",
          events: [["exception", 870, { "exception.type": "TimeoutError", "exception.message": "no answer" }]],
        }),
        span(14, 99, "orphaned job", 700, 760),
      ]),
    ],
  }
}

function resourceOf(service: string, spans: readonly SpanJson[]) {
  return {
    resource: { attributes: attributesOf({ "service.name": service }) },
    scopeSpans: [{ scope: { name: "demo", version: "1" }, spans }],
  }
}

function attributesOf(attributes: Sketch["attributes"] = {}) {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: valueOf(value) }))
}

function valueOf(value: string | number | readonly string[]) {
  if (typeof value === "string") return { stringValue: value }
  if (typeof value !== "number") return { arrayValue: { values: value.map((stringValue) => ({ stringValue })) } }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}
