import { encode, type Json } from "#tests/protocol/otlp/requests.ts"

export interface LoadRequest {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** The requests of one kind of client. They differ only in their ids, so that each costs one copy. */
export interface Load {
  readonly name: string
  /** The number of spans per request. */
  readonly spans: number
  request(number: number): LoadRequest
}

interface OtlpShape {
  readonly encoding: "protobuf" | "json"
  readonly spans: number
  readonly spansPerTrace: number
}

/** What the batch processors of OpenTelemetry's SDKs send at most. */
const FULL_BATCH: OtlpShape = { encoding: "protobuf", spans: 512, spansPerTrace: 16 }
const SENTRY_SPANS = 20
/** A placeholder for the number of a request, the first five bytes of every id. */
const MARK = "a1b2c3d4e5"

const hex = (number: number, digits: number) => number.toString(16).padStart(digits, "0")
const text = (key: string, value: string): Json => ({ key, value: { stringValue: value } })
const traceIdOf = (index: number) => MARK + hex(index + 1, 22)
const spanIdOf = (index: number) => MARK + hex(index + 1, 6)

export function otlpLoad(shape = FULL_BATCH): Load {
  const { encoding, spans } = shape
  const template = otlpTemplate(shape)
  const isText = encoding === "json"
  return {
    name: `OTLP/${encoding}, ${spans} spans a request`,
    spans,
    request: numbered(
      { path: "/v1/traces", headers: { "content-type": isText ? "application/json" : "application/x-protobuf" } },
      Buffer.from(encode(template, encoding)),
      isText ? "utf8" : "hex",
    ),
  }
}

/** Posts to Sentry's path, or to Spotlight's, which its sidecar serves too. */
export function sentryLoad(path = "/api/1/envelope/?sentry_key=bench"): Load {
  return {
    name: `Sentry envelopes, one transaction of ${SENTRY_SPANS} spans each`,
    spans: SENTRY_SPANS,
    request: numbered({ path, headers: { "content-type": "application/x-sentry-envelope" } }, sentryTemplate(), "utf8"),
  }
}

/** Requests of the loads in turn. All have the same number of spans. */
export function mixedLoad(loads: readonly [Load, ...Load[]]): Load {
  const [{ spans }] = loads
  return {
    name: loads.map(({ name }) => name).join("; "),
    spans,
    request: (number) => (loads[number % loads.length] ?? loads[0]).request(number),
  }
}

/** The first trace id in request `number` of a load. */
export function traceOfRequest(number: number): string {
  return hex(number, 10) + traceIdOf(0).slice(MARK.length)
}

function numbered(
  { path, headers }: Omit<LoadRequest, "body">,
  template: Buffer,
  idEncoding: "utf8" | "hex",
): Load["request"] {
  const mark = Buffer.from(MARK, idEncoding)
  const places: number[] = []
  for (let at = template.indexOf(mark); at !== -1; at = template.indexOf(mark, at + 1)) places.push(at)
  return (number) => {
    const body = Buffer.from(template)
    const id = Buffer.from(hex(number, 10), idEncoding)
    for (const place of places) id.copy(body, place)
    return { path, headers, body }
  }
}

function otlpTemplate({ spans: count, spansPerTrace }: OtlpShape): Json {
  const start = BigInt(Date.now()) * 1_000_000n
  const spans = Array.from({ length: count }, (_, index) => {
    const place = index % spansPerTrace
    return {
      traceId: traceIdOf((index - place) / spansPerTrace),
      spanId: spanIdOf(index),
      ...(place > 0 && { parentSpanId: spanIdOf(index - place) }),
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
    }
  })
  const resource = { attributes: [text("service.name", "shop"), text("host.name", "web-1")] }
  return { resourceSpans: [{ resource, scopeSpans: [{ scope: { name: "bench" }, spans }] }] }
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
