import type { SpanJson } from "#otel/protocol/otlp/traces-json.ts"

/** A slow page: its server prices a cart with one query for each of 200 items, and pays in the third attempt. */

export const LOOP = "5b8efff798038103d269b633813fcaa1"
export const QUERIES = 200
/** Late: it settles when the visitor leaves. */
const LCP_MS = 5_300
const PAGE_MS = 991

export function loopTrace(startMs: number) {
  const start = BigInt(startMs) * 1_000_000n
  const at = (ms: number) => String(start + BigInt(Math.round(ms * 1e6)))
  const span = (
    number: number,
    parent: number,
    name: string,
    [from, to]: readonly [number, number],
    attributes: Readonly<Record<string, string | number>> = {},
    more: Partial<SpanJson> = {},
  ): SpanJson => ({
    traceId: LOOP,
    spanId: `10${number.toString(16).padStart(14, "0")}`,
    ...(parent > 0 && { parentSpanId: `10${parent.toString(16).padStart(14, "0")}` }),
    name,
    kind: 1,
    startTimeUnixNano: at(from),
    endTimeUnixNano: at(to),
    attributes: Object.entries(attributes).map(([key, value]) => ({
      key,
      value: typeof value === "string" ? { stringValue: value } : { doubleValue: value },
    })),
    status: {},
    ...more,
  })
  const vital = (number: number, name: string, to: number) =>
    span(number, 2, `browser.web_vital.${name}`, [0, to], { [`browser.web_vital.${name}.value`]: to })
  const pay = (number: number, from: number, isFailed: boolean) =>
    span(
      number,
      1,
      "POST payment",
      [from, from + 9],
      { "url.full": "https://pay.example/charge" },
      {
        kind: 3,
        ...(isFailed && { status: { code: 2, message: "503" } }),
      },
    )
  const queries = Array.from({ length: QUERIES }, (_, i) =>
    span(
      100 + i,
      3,
      "SELECT shop.prices",
      [30 + i * 3.1, 33.05 + i * 3.1],
      {
        "db.system.name": "postgresql",
        "db.query.text": `SELECT price FROM prices WHERE sku = '${i === 150 ? "special" : "usual"}-${i}'`,
      },
      { kind: 3 },
    ),
  )
  return {
    resourceSpans: [
      resourceOf("shop", [
        span(1, 0, "GET /checkout", [10, 780], { "http.route": "/checkout" }, { kind: 2 }),
        span(3, 1, "priceCart", [25, 655]),
        ...queries,
        pay(500, 660, true),
        pay(501, 690, true),
        pay(502, 730, false),
        span(503, 1, "render", [745, 778]),
      ]),
      resourceOf("browser", [
        span(2, 1, "/checkout", [0, PAGE_MS], { "sentry.op": "pageload", "http.route": "/checkout" }),
        vital(600, "ttfb", 790),
        vital(601, "lcp", LCP_MS),
        vital(602, "fcp", 850),
      ]),
    ],
  }
}

/** A trace in which nothing stands out. */
export const QUIET = "5b8efff798038103d269b633813fcaa2"

export function quietTrace(startMs: number) {
  const { resourceSpans } = loopTrace(startMs)
  const [first] = resourceSpans[0]!.scopeSpans[0]!.spans
  return { resourceSpans: [resourceOf("shop", [{ ...first!, traceId: QUIET }])] }
}

function resourceOf(service: string, spans: readonly SpanJson[]) {
  return {
    resource: { attributes: [{ key: "service.name", value: { stringValue: service } }] },
    scopeSpans: [{ scope: { name: "demo", version: "1" }, spans }],
  }
}
