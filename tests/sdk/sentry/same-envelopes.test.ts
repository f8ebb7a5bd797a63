import { SpanKind, SpanStatusCode } from "@opentelemetry/api"
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest"
import { sanitizePayload } from "#otel/sdk/sentry/sanitize-payload.ts"
import { sanitizeSpan } from "#otel/sdk/sentry/sanitize-span.ts"
import { semconvMapping } from "#otel/sdk/sentry/span-mapping.ts"
import { assembleTransaction } from "#otel/sdk/sentry/transaction.ts"
import type { Payload } from "#tests/support/recording-sentry.ts"
import { finishedSpan, TRACE_ID } from "./finished-span.ts"
import { SECRET } from "./secret-shapes.ts"

/**
 * The envelopes of one visit, sent by the same source with both major versions of Sentry's SDK and compared byte by byte.
 * Only the time of sending and the ids that the client gives to errors may differ.
 */
const ROOT_ID = "b7ad6b7169203331"
const ADDRESS = `https://shop:${SECRET}@api.example/cart?token=${SECRET}`
const links = [
  { context: { traceId: "f".repeat(32), spanId: "e".repeat(16), traceFlags: 1 }, attributes: { from: ADDRESS } },
]
const samplingContext = { trace_id: TRACE_ID, public_key: "key", sampled: "true", sample_rate: "0.5" }

const root = sanitizeSpan(
  finishedSpan({
    name: "POST /items/[id]",
    kind: SpanKind.SERVER,
    parent: { spanId: "1".repeat(16), isRemote: true },
    attributes: {
      "http.method": "POST",
      "http.target": `/items/7?token=${SECRET}`,
      "http.status_code": 404,
      "http.route": "/items/[id]",
      "http.request.header.cookie": `sid=${SECRET}`,
      "http.request.header.accept": ["text/html"],
      ratio: 0.5,
      list: ["a", "b"],
    },
    links,
    resource: { "cloud.token": SECRET },
  }),
)
const children = [
  sanitizeSpan(
    finishedSpan({
      name: `fetch GET ${ADDRESS}`,
      spanId: "2".repeat(16),
      parent: { spanId: ROOT_ID },
      start: 1_000.25,
      end: 1_002,
      kind: SpanKind.CLIENT,
      attributes: { "http.request.method": "GET", "url.full": ADDRESS, "http.response.status_code": 503 },
    }),
  ),
  sanitizeSpan(
    finishedSpan({
      name: "SELECT",
      spanId: "3".repeat(16),
      parent: { spanId: "2".repeat(16) },
      start: 1_000.5,
      end: 1_000.75,
      status: { code: SpanStatusCode.ERROR, message: "deadline_exceeded" },
      attributes: { "db.system": "postgresql", "db.statement": "SELECT a FROM b" },
      links,
    }),
  ),
]
const pageload = finishedSpan({
  name: "/items/[id]",
  attributes: {
    "sentry.op": "pageload",
    "sentry.origin": "auto.pageload.pagespan",
    "http.route": "/items/[id]",
    "url.full": ADDRESS,
  },
  links,
})
const vital = (name: string, value: number, id: string) =>
  finishedSpan({
    name: `browser.web_vital.${name}`,
    spanId: id.repeat(16),
    parent: { spanId: ROOT_ID },
    attributes: {
      [`browser.web_vital.${name}.value`]: value,
      "sentry.op": "ui.webvital",
      "sentry.segment.name": "/items/[id]",
    },
  })

/** The same source with the previous major version of Sentry's SDK. */
async function told(version: string, core?: () => Promise<unknown>): Promise<Payload[]> {
  vi.resetModules()
  if (core !== undefined) for (const name of ["@sentry/core", "@sentry/core/server"]) vi.doMock(name, core)
  const { Scope, SDK_VERSION } = await import("@sentry/core")
  expect(SDK_VERSION).toBe(version)
  const { sentryClient } = await import("./sentry-client.ts")
  const { TransactionSender } = await import("#otel/sdk/sentry/transaction-sender.ts")
  const { sendSpanStream } = await import("#otel/sdk/sentry/span-stream.ts")
  const trace = {
    span: root,
    samplingContext,
    defaults: { transaction: "POST /items/[id]", request: { method: "POST" } },
  }
  const sentry = sentryClient({ trace, client: { release: "shop@1", environment: "staging", serverName: "one" } })
  const drop = () => undefined
  const options = { eventId: "9".repeat(32), mapping: semconvMapping } as const
  const ofServer = assembleTransaction(root, children, { ...options, platform: "node" })
  const ofPage = assembleTransaction(pageload, [vital("lcp", 900, "4"), vital("cls", 0.1, "5")], {
    ...options,
    platform: "javascript",
  })
  for (const setting of ["transaction", "stream"] as const) {
    const sender = new TransactionSender({ client: sentry.client, setting, stream: () => sendSpanStream, drop })
    for (const transaction of [ofServer, sanitizePayload(ofPage)]) sender.send(transaction, samplingContext)
    const late = assembleTransaction(vital("inp", 64, "6"), [], { ...options, platform: "javascript" })
    sender.send(sanitizePayload(late), samplingContext)
    await sentry.flush()
  }
  const scope = new Scope()
  scope.addBreadcrumb({ category: "http", timestamp: 1, data: { url: ADDRESS, method: "GET" } })
  const thrown = failure()
  sentry.client.captureException(thrown, { originalException: thrown }, scope)
  sentry.client.captureMessage(`said of ${ADDRESS}`, "warning", {}, scope)
  await sentry.flush()
  expect(sentry.drops).toEqual([])
  return sentry.items.map((item, index) => ({
    header: without(sentry.headers[index], "sent_at", "event_id"),
    itemHeader: sentry.itemHeaders[index],
    item: item["type"] === "transaction" || "items" in item ? item : without(item, "event_id", "timestamp"),
  }))
}

function failure(): Error {
  const cause = new RangeError(`GET ${ADDRESS} failed`)
  const error = new AggregateError([new Error("one"), new TypeError("two")], "both", { cause })
  for (const each of [error, cause, ...(error.errors as Error[])])
    each.stack = `${each.name}: ${each.message}\n    at run (https://shop.example/pay?token=${SECRET}:1:2)`
  return error
}

function without(object: Payload | undefined, ...names: string[]): Payload {
  return Object.fromEntries(Object.entries(object ?? {}).filter(([name]) => !names.includes(name)))
}

afterEach(() => {
  for (const name of ["@sentry/core", "@sentry/core/server"]) vi.doUnmock(name)
  vi.resetModules()
})

describe("through @sentry/core 11.0.0 and 10.78.0", () => {
  let current: Payload[]
  let kept: Payload[]

  beforeAll(async () => {
    current = await told("11.0.0")
    kept = await told("10.78.0", () => import("sentry-core-10"))
  })

  test("the same envelopes are sent: transactions, streams, vitals, errors and messages", () => {
    expect(current.map(({ itemHeader }) => itemHeader["type"])).toEqual([
      "transaction",
      "transaction",
      "span",
      "span",
      "span",
      "span",
      "event",
      "event",
    ])
    expect(kept).toEqual(current)
  })

  const items = (type: string) =>
    current.filter(({ itemHeader }) => itemHeader["type"] === type).map(({ item }) => item as Payload)

  test("each has the sampling context of its trace in the header", () => {
    for (const { header } of current) expect(header["trace"]).toEqual(samplingContext)
  })

  test("transactions have ids, statuses, links, measurements and the request", () => {
    const [server, page] = items("transaction")
    expect(server).toMatchObject({
      transaction: "POST /items/[id]",
      contexts: {
        response: { status_code: 404 },
        trace: { span_id: ROOT_ID, parent_span_id: "1".repeat(16), status: "not_found", op: "http.server" },
      },
      release: "shop@1",
      environment: "staging",
    })
    expect(server!["contexts"].trace.links).toEqual([
      {
        trace_id: "f".repeat(32),
        span_id: "e".repeat(16),
        sampled: true,
        attributes: { from: "https://api.example/cart" },
      },
    ])
    // A child that ended after its root is clamped to it.
    expect(server!["spans"]).toMatchObject([
      { description: "GET https://api.example/cart", status: "unavailable", timestamp: 1_001 },
      { description: "SELECT a FROM b", op: "db", status: "deadline_exceeded", links: [{ sampled: true }] },
    ])
    expect(page!["measurements"]).toEqual({
      lcp: { value: 900, unit: "millisecond" },
      cls: { value: 0.1, unit: "" },
    })
  })

  test("streams have the same ids, links and typed attributes, and a failure is an error with its status", () => {
    const [, server, page] = items("span")
    expect(server!["items"]).toMatchObject([
      {
        span_id: ROOT_ID,
        is_segment: true,
        status: "error",
        attributes: {
          "sentry.status.message": { value: "not_found", type: "string" },
          "http.response.status_code": { value: 404, type: "integer" },
          ratio: { value: 0.5, type: "double" },
          list: { value: ["a", "b"], type: "array" },
        },
        links: [
          { trace_id: "f".repeat(32), attributes: { from: { value: "https://api.example/cart", type: "string" } } },
        ],
      },
      { span_id: "2".repeat(16), status: "error" },
      { span_id: "3".repeat(16), status: "error", links: [{ span_id: "e".repeat(16) }] },
    ])
    expect(page!["items"][0]).toMatchObject({ is_segment: true, status: "ok" })
  })

  test("a late interaction is a span by itself, once in each format", () => {
    const late = items("span").filter((item) => !("items" in item))
    expect(late.map(({ measurements }) => measurements)).toEqual(
      Array.from({ length: 2 }, () => ({ inp: { value: 64, unit: "millisecond" } })),
    )
  })

  test("errors are on their span, under its route, with members and cause", () => {
    const [error, message] = items("event")
    const types = error!["exception"].values.map(({ type }: Payload) => type as string)
    expect(types.at(-1)).toBe("AggregateError")
    expect(types.toSorted()).toEqual(["AggregateError", "Error", "RangeError", "TypeError"])
    for (const event of [error, message])
      expect(event).toMatchObject({
        transaction: "POST /items/[id]",
        contexts: { trace: { trace_id: TRACE_ID, span_id: ROOT_ID } },
      })
    expect(error!["breadcrumbs"]).toMatchObject([{ data: { url: "https://api.example/cart" } }])
    expect(message!["message"]).toBe("said of https://api.example/cart")
  })

  test("none of them contains a secret", () => {
    expect(JSON.stringify([current, kept])).not.toContain(SECRET)
  })
})
