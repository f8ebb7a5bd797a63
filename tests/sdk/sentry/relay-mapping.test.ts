import { type Attributes, SpanKind, SpanStatusCode } from "@opentelemetry/api"
import { describe, expect, test } from "vitest"
import { sanitizeSpan } from "#otel/sdk/sentry/sanitize-span.ts"
import { semconvMapping, withDescription } from "#otel/sdk/sentry/span-mapping.ts"
import { assembleTransaction } from "#otel/sdk/sentry/transaction.ts"
import { finishedSpan } from "./finished-span.ts"

/**
 * What Sentry's own server makes of an OTLP span (`relay-spans`: description, op, status, ids, times, links), tested on a child
 * span of Pagespan's. If Pagespan differs on purpose, the case says so.
 */
function childOf(given: Parameters<typeof finishedSpan>[0]) {
  const [root, child] = [
    finishedSpan({ start: 0, end: 2_000_000_000 }),
    finishedSpan({ spanId: "e342abb1214ca181", parent: { spanId: "b7ad6b7169203331" }, ...given }),
  ].map((span) => sanitizeSpan(span))
  const options = { platform: "node", eventId: "0".repeat(32), mapping: semconvMapping } as const
  return withDescription(assembleTransaction(root!, [child!], options).payload.spans[0]!)
}

const { CLIENT, SERVER, INTERNAL, PRODUCER, CONSUMER } = SpanKind
const SQL = 'SELECT "table"."col" FROM "table" WHERE "table"."col" = %s'

describe("a span's description", () => {
  test.each<[what: string, name: string, kind: SpanKind, attributes: Attributes, description: string]>([
    ["of no convention", "cmd.run", INTERNAL, { "process.args": ["node"] }, "cmd.run"],
    [
      "that was given",
      "query",
      CLIENT,
      { "sentry.description": "mine", "db.system": "postgresql", "db.statement": SQL },
      "mine",
    ],
    [
      "of a request that was answered",
      "handler",
      SERVER,
      { "http.request.method": "GET", "http.route": "/home" },
      "GET /home",
    ],
    ["of one without a route", "handler", SERVER, { "http.request.method": "GET", "url.path": "/api" }, "GET /api"],
    ["of one by old names", "handler", SERVER, { "http.method": "PUT", "http.target": "/api?q=1" }, "PUT /api"],
    [
      "of a request that was made",
      "fetch",
      CLIENT,
      { "http.request.method": "GET", "url.full": "https://a.example/b" },
      "GET https://a.example/b",
    ],
    [
      "of one with a query",
      "fetch",
      CLIENT,
      { "http.method": "GET", "http.url": "https://a.example/b?c=d#e" },
      "GET https://a.example/b",
    ],
    // Relay uses only the method, which says less than the name.
    ["of a request of no address", "fetch it", CLIENT, { "http.request.method": "GET" }, "fetch it"],
    [
      "of a step with a method",
      "middleware GET",
      INTERNAL,
      { "http.request.method": "GET", "url.path": "/a" },
      "middleware GET",
    ],
    ["of a query", "database query", CLIENT, { "db.system": "postgresql", "db.statement": SQL }, SQL],
    [
      "of a query by new names",
      "database query",
      CLIENT,
      { "db.system.name": "postgresql", "db.query.text": SQL },
      SQL,
    ],
    ["of a query without a system", "database query", CLIENT, { "db.statement": SQL }, "database query"],
    ["of a cache", "get", CLIENT, { "db.system": "redis", "db.statement": "GET a", "sentry.op": "cache.get" }, "get"],
    [
      "of one that says its origin",
      "RSC /b",
      CLIENT,
      { "http.request.method": "GET", "url.full": "https://a.example/b", "sentry.origin": "auto.http.pagespan" },
      "RSC /b",
    ],
    ["of a query without text", "connect", CLIENT, { "db.system": "postgresql" }, "connect"],
  ])("%s", (_, name, kind, attributes, description) => {
    const child = childOf({ name, kind, attributes })
    expect(child.description).toBe(description)
    expect(child.data["sentry.name"]).toBe(description === name ? undefined : name)
  })
})

describe("a span's op", () => {
  test.each<[kind: SpanKind, attributes: Attributes, op: string | undefined]>([
    [SERVER, { "http.request.method": "GET" }, "http.server"],
    [CLIENT, { "http.request.method": "GET" }, "http.client"],
    [SERVER, { "http.method": "GET" }, "http.server"],
    [CLIENT, { "http.method": "GET" }, "http.client"],
    [INTERNAL, { "http.method": "GET" }, "http"],
    [CLIENT, { "db.system": "postgresql" }, "db"],
    [CLIENT, { "db.system.name": "postgresql" }, "db"],
    [CLIENT, { "gen_ai.system": "openai" }, "gen_ai"],
    [CLIENT, { "gen_ai.provider.name": "openai" }, "gen_ai"],
    [INTERNAL, { "faas.trigger": "timer" }, "timer"],
    [INTERNAL, { "sentry.op": "myop", "db.system": "postgresql" }, "myop"],
    // Relay uses `rpc` and `message`. Sentry's list of operations has the direction too.
    [CLIENT, { "rpc.system": "grpc", "rpc.service": "a" }, "rpc.client"],
    [PRODUCER, { "messaging.system": "kafka" }, "queue.publish"],
    [CONSUMER, { "messaging.system": "kafka" }, "queue.process"],
    // Relay uses `default`, which is what Sentry shows without an op.
    [INTERNAL, {}, undefined],
  ])("of kind %i with %o is %s", (kind, attributes, op) => {
    expect(childOf({ kind, attributes }).op).toBe(op)
  })
})

describe("a span's status", () => {
  const GRPC = [
    "ok",
    "cancelled",
    "unknown_error",
    "invalid_argument",
    "deadline_exceeded",
    "not_found",
    "already_exists",
    "permission_denied",
    "resource_exhausted",
    "failed_precondition",
    "aborted",
    "out_of_range",
    "unimplemented",
    "internal_error",
    "unavailable",
    "data_drop",
    "unauthenticated",
  ]

  test.each(GRPC.map((status, code) => [code, status] as const))("of gRPC's code %i is %s", (code, status) => {
    expect(childOf({ attributes: { "rpc.grpc.status_code": code } }).status).toBe(status)
  })

  test.each<[code: number, status: string]>([
    [200, "ok"],
    [302, "ok"],
    [401, "unauthenticated"],
    [403, "permission_denied"],
    [404, "not_found"],
    [429, "resource_exhausted"],
    [499, "cancelled"],
    [500, "internal_error"],
    [501, "unimplemented"],
    [503, "unavailable"],
    [504, "deadline_exceeded"],
    // Relay uses `failed_precondition` and `aborted`. These are the values of Sentry's JavaScript SDK.
    [400, "invalid_argument"],
    [409, "already_exists"],
  ])("of HTTP's code %i is %s, by the old name and the new", (code, status) => {
    expect(childOf({ attributes: { "http.status_code": code } }).status).toBe(status)
    expect(childOf({ attributes: { "http.response.status_code": code } }).status).toBe(status)
  })

  test("is its own without a status code", () => {
    const { ERROR, OK, UNSET } = SpanStatusCode
    expect(childOf({ status: { code: UNSET } }).status).toBe("ok")
    expect(childOf({ status: { code: OK } }).status).toBe("ok")
    expect(childOf({ status: { code: ERROR } }).status).toBe("internal_error")
    expect(childOf({ status: { code: ERROR, message: "2 is the error status code" } }).status).toBe("internal_error")
    expect(childOf({ status: { code: ERROR, message: "deadline_exceeded" } }).status).toBe("deadline_exceeded")
  })
})

test("a span keeps its ids, times, attributes and links", () => {
  const attributes = { "process.args": ["node", "--require"], "app.count": 2, "app.share": 0.5, "app.yes": true }
  const context = { traceId: "4c79f60c11214eb38604f4ae0781bfb2", spanId: "fa90fdead5f74052", traceFlags: 1 }
  const child = childOf({ start: 1_697_620_454.98, end: 1_697_620_455.5, attributes, links: [{ context }] })
  expect(child).toMatchObject({
    span_id: "e342abb1214ca181",
    parent_span_id: "b7ad6b7169203331",
    start_timestamp: 1_697_620_454.98,
    timestamp: 1_697_620_455.5,
    data: attributes,
    links: [{ trace_id: context.traceId, span_id: context.spanId, sampled: true }],
  })
})
