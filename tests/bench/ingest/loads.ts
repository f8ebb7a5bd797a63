import { encode, type Json } from "#tests/protocol/otlp/requests.ts"

/** The requests of one kind of client. They differ only in their ids, so that each costs one copy. */
export interface Load {
  readonly name: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** The number of spans per request. */
  readonly spans: number
  body(number: number): Uint8Array
}

const OTLP_SPANS = 512
const SENTRY_SPANS = 20
/** A placeholder for the number of a request, the first five bytes of every id. */
const MARK = "a1b2c3d4e5"

const hex = (number: number, digits: number) => number.toString(16).padStart(digits, "0")
const text = (key: string, value: string): Json => ({ key, value: { stringValue: value } })
const traceIdOf = (index: number) => MARK + hex(index + 1, 22)
const spanIdOf = (index: number) => MARK + hex(index + 1, 6)

export function otlpLoad(): Load {
  return {
    name: `OTLP/protobuf, ${OTLP_SPANS} spans a request`,
    path: "/v1/traces",
    headers: { "content-type": "application/x-protobuf" },
    spans: OTLP_SPANS,
    body: numbered(otlpTemplate(), Buffer.from(MARK, "hex"), (number) => Buffer.from(hex(number, 10), "hex")),
  }
}

/** Posts to Sentry's path, or to Spotlight's, which its sidecar serves too. */
export function sentryLoad(path = "/api/1/envelope/?sentry_key=bench"): Load {
  return {
    name: `Sentry envelopes, one transaction of ${SENTRY_SPANS} spans each`,
    path,
    headers: { "content-type": "application/x-sentry-envelope" },
    spans: SENTRY_SPANS,
    body: numbered(sentryTemplate(), Buffer.from(MARK), (number) => Buffer.from(hex(number, 10))),
  }
}

/** The trace id in request `number` of `sentryLoad`. */
export function traceOfSentryLoad(number: number): string {
  return hex(number, 10) + traceIdOf(0).slice(MARK.length)
}

function numbered(template: Buffer, mark: Buffer, write: (number: number) => Buffer): Load["body"] {
  const places: number[] = []
  for (let at = template.indexOf(mark); at !== -1; at = template.indexOf(mark, at + 1)) places.push(at)
  return (number) => {
    const body = Buffer.from(template)
    const id = write(number)
    for (const place of places) id.copy(body, place)
    return body
  }
}

function otlpTemplate(): Buffer {
  const start = BigInt(Date.now()) * 1_000_000n
  const spans = Array.from({ length: OTLP_SPANS }, (_, index) => ({
    // Each trace has 16 spans.
    traceId: traceIdOf(index >> 4),
    spanId: spanIdOf(index),
    ...(index % 16 > 0 && { parentSpanId: spanIdOf(index & ~15) }),
    name: "GET /api/items/[id]",
    kind: 2,
    startTimeUnixNano: String(start + BigInt(index)),
    endTimeUnixNano: String(start + 5_000_000n),
    attributes: [
      text("http.request.method", "GET"),
      text("url.path", `/api/items/${index}`),
      text("http.route", "/api/items/[id]"),
      text("user_agent.original", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36"),
      { key: "http.response.status_code", value: { intValue: "200" } },
      { key: "cache.hit", value: { boolValue: true } },
    ],
  }))
  const resource = { attributes: [text("service.name", "shop"), text("host.name", "web-1")] }
  const request = { resourceSpans: [{ resource, scopeSpans: [{ scope: { name: "bench" }, spans }] }] }
  return Buffer.from(encode(request, "protobuf"))
}

function sentryTemplate(): Buffer {
  const now = Date.now() / 1_000
  const trace_id = traceIdOf(0)
  const children = Array.from({ length: SENTRY_SPANS - 1 }, (_, index) => ({
    trace_id,
    span_id: spanIdOf(index + 1),
    parent_span_id: spanIdOf(0),
    op: "db.query",
    description: `SELECT * FROM items WHERE id = $${index}`,
    start_timestamp: now,
    timestamp: now + 0.002,
    status: "ok",
    origin: "auto.db",
    data: { "db.system.name": "postgresql", "db.namespace": "shop", rows: index },
  }))
  const root = { span_id: spanIdOf(0), op: "http.server", status: "ok", data: { "http.route": "/api/items/[id]" } }
  const event = {
    type: "transaction",
    transaction: "/api/items/[id]",
    platform: "node",
    server_name: "web-1",
    environment: "production",
    start_timestamp: now,
    timestamp: now + 0.02,
    contexts: { trace: { trace_id, ...root } },
    spans: children,
  }
  return Buffer.from(`{"sdk":{"name":"sentry.javascript.node"}}\n{"type":"transaction"}\n${JSON.stringify(event)}\n`)
}
