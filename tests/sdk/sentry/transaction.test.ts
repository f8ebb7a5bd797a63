import { INVALID_SPAN_CONTEXT, type SpanContext, SpanKind, SpanStatusCode } from "@opentelemetry/api"
import { describe, expect, test } from "vitest"
import { semconvMapping } from "#otel/sdk/sentry/span-mapping.ts"
import { assembleTransaction } from "#otel/sdk/sentry/transaction.ts"
import { finishedSpan, TRACE_ID } from "./finished-span.ts"

const EVENT_ID = "9ec79c33ec9942ab8353589fcb2e04dc"
const OPTIONS = { platform: "node", eventId: EVENT_ID, mapping: semconvMapping } as const
const ROOT_ID = "b7ad6b7169203331"
const CHILD_ID = "00f067aa0ba902b7"

function payloadOf(root: Parameters<typeof finishedSpan>[0], ...children: Parameters<typeof finishedSpan>[0][]) {
  return assembleTransaction(finishedSpan(root), children.map(finishedSpan), OPTIONS).payload
}

describe("a transaction", () => {
  test("carries the root's own ids, name, times and attributes", () => {
    const payload = payloadOf({
      name: "GET /items/[id]",
      spanId: ROOT_ID,
      parent: { spanId: "1111111111111111", isRemote: true },
      start: 1_700_000_000.25,
      end: 1_700_000_001.75,
      attributes: { "http.route": "/items/[id]" },
    })
    expect(payload).toMatchObject({
      type: "transaction",
      event_id: EVENT_ID,
      transaction: "GET /items/[id]",
      transaction_info: { source: "route" },
      start_timestamp: 1_700_000_000.25,
      timestamp: 1_700_000_001.75,
      contexts: {
        trace: {
          trace_id: TRACE_ID,
          span_id: ROOT_ID,
          parent_span_id: "1111111111111111",
          data: { "http.route": "/items/[id]" },
        },
        otel: { resource: { "service.name": "shop" } },
      },
    })
  })

  test("has no parent if the root starts the trace", () => {
    expect(payloadOf({}).contexts.trace).not.toHaveProperty("parent_span_id")
  })

  test.each([
    [{ "sentry.source": "url", "http.route": "/a" }, "url"],
    [{ "http.route": "/a" }, "route"],
    [{}, "custom"],
  ])("reads its source from %o", (attributes, source) => {
    expect(payloadOf({ attributes }).transaction_info.source).toBe(source)
  })

  test("clamps a child's times to the root's and does not change its ids", () => {
    const child = { name: "late", spanId: CHILD_ID, parent: { spanId: ROOT_ID }, start: 999, end: 1_003 }
    expect(payloadOf({ spanId: ROOT_ID, start: 1_000, end: 1_002 }, child).spans).toMatchObject([
      { span_id: CHILD_ID, parent_span_id: ROOT_ID, description: "late", start_timestamp: 1_000, timestamp: 1_002 },
    ])
  })

  test("never ends before it started", () => {
    const payload = payloadOf({ start: 1_002, end: 1_000 })
    expect(payload.timestamp).toBe(payload.start_timestamp)
  })

  test("has links with their sampling decision", () => {
    const context = { traceId: "f".repeat(32), spanId: "e".repeat(16), traceFlags: 1 }
    const links = [{ context, attributes: { "sentry.link.type": "previous_trace" } }]
    expect(payloadOf({ links }).contexts.trace.links).toEqual([
      {
        trace_id: context.traceId,
        span_id: context.spanId,
        sampled: true,
        attributes: { "sentry.link.type": "previous_trace" },
      },
    ])
  })

  test("leaves out a link without a valid context, and is sent", () => {
    const valid = { traceId: "f".repeat(32), spanId: "e".repeat(16), traceFlags: 0 }
    const invalid = [undefined, null, {}, INVALID_SPAN_CONTEXT, { ...valid, spanId: "" }, { ...valid, traceId: 7 }]
    const malformed = invalid.map((context) => ({ context: context as SpanContext }))
    expect(payloadOf({ links: [...malformed, { context: valid }] }).contexts.trace.links).toEqual([
      { trace_id: valid.traceId, span_id: valid.spanId, sampled: false },
    ])
    expect(payloadOf({ links: malformed }, { links: malformed })).toMatchObject({ spans: [{ description: "span" }] })
    expect(payloadOf({ links: malformed }).contexts.trace).not.toHaveProperty("links")
  })
})

describe("a span's op", () => {
  test.each([
    [{ "sentry.op": "pageload", "http.request.method": "GET" }, SpanKind.CLIENT, "pageload"],
    [{ "http.request.method": "GET" }, SpanKind.CLIENT, "http.client"],
    [{ "http.method": "GET" }, SpanKind.SERVER, "http.server"],
    [{ "db.system.name": "postgresql" }, SpanKind.CLIENT, "db"],
    [{ "db.system": "redis" }, SpanKind.CLIENT, "db"],
    [{ "rpc.system": "grpc" }, SpanKind.SERVER, "rpc.server"],
    [{ "messaging.system": "kafka" }, SpanKind.PRODUCER, "queue.publish"],
    [{ "messaging.system": "kafka" }, SpanKind.CONSUMER, "queue.process"],
    [{ "next.span_type": "AppRender.getBodyResult" }, SpanKind.INTERNAL, "function.nextjs"],
    [{}, SpanKind.INTERNAL, undefined],
  ])("is read from %o", (attributes, kind, op) => {
    expect(payloadOf({ attributes, kind }).contexts.trace.op).toBe(op)
  })
})

describe("a span's status", () => {
  test.each([
    [{}, SpanStatusCode.UNSET, "ok"],
    [{}, SpanStatusCode.OK, "ok"],
    [{}, SpanStatusCode.ERROR, "internal_error"],
    [{ "http.response.status_code": 200 }, SpanStatusCode.UNSET, "ok"],
    [{ "http.status_code": 404 }, SpanStatusCode.UNSET, "not_found"],
    [{ "http.response.status_code": 429 }, SpanStatusCode.ERROR, "resource_exhausted"],
    [{ "http.response.status_code": 418 }, SpanStatusCode.ERROR, "invalid_argument"],
    [{ "http.response.status_code": 599 }, SpanStatusCode.ERROR, "internal_error"],
    [{ "http.response.status_code": 200 }, SpanStatusCode.ERROR, "internal_error"],
  ])("is read from %o and the span's own code %i", (attributes, code, status) => {
    expect(payloadOf({ attributes, status: { code } }).contexts.trace.status).toBe(status)
  })
})
