import { type Link, SpanKind } from "@opentelemetry/api"
import { JsonTraceSerializer } from "@opentelemetry/otlp-transformer"
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import { describe, expect, test } from "vitest"
import { formatSpan } from "#otel/protocol/otlp/format-spans.ts"
import { spanRedaction } from "#otel/sdk/sentry/sanitize-attributes.ts"
import { sanitizePayload } from "#otel/sdk/sentry/sanitize-payload.ts"
import { sanitizeSpan } from "#otel/sdk/sentry/sanitize-span.ts"
import { semconvMapping } from "#otel/sdk/sentry/span-mapping.ts"
import { transactionRequest } from "#otel/sdk/sentry/transaction-sender.ts"
import { assembleTransaction } from "#otel/sdk/sentry/transaction.ts"
import { finishedSpan } from "./finished-span.ts"
import { SECRET, SECRET_SHAPES } from "./secret-shapes.ts"

const OPTIONS = { platform: "node", eventId: "0".repeat(32), mapping: semconvMapping } as const

/** A span as a server exports it, and as a page does. */
function assembled(root: ReadableSpan, child: ReadableSpan): { payload: unknown } {
  const ofServer = assembleTransaction(sanitizeSpan(root), [sanitizeSpan(child)], OPTIONS)
  const ofPage = sanitizePayload(assembleTransaction(root, [child], { ...OPTIONS, platform: "javascript" }))
  return { payload: [ofServer.payload, ofPage.payload] }
}

describe("an outgoing span", () => {
  test.each(SECRET_SHAPES)("contains no secret in %s = %s, in any position, for Sentry and for OTLP", (key, value) => {
    const isUrl = /[:/]/.test(value) && !/^(?:Authorization|eyJ)/.test(value)
    const span = finishedSpan({
      name: isUrl ? `GET ${value}` : "GET",
      attributes: { [key]: value },
      events: [{ name: isUrl ? `GET ${value}` : "event", time: [1_000, 0], attributes: { [key]: value } }],
      links: [{ context: finishedSpan().spanContext(), attributes: { [key]: [value] } }],
      kind: SpanKind.SERVER,
      resource: { [key]: value },
    })
    const { payload } = assembled(span, span)
    expect(JSON.stringify(payload)).not.toContain(SECRET)
    const bytes = JsonTraceSerializer.serializeRequest([sanitizeSpan(span)])
    expect(Buffer.from(bytes ?? []).toString()).not.toContain(SECRET)
    expect(formatSpan(span, spanRedaction)).not.toContain(SECRET)
  })

  test("has the links that have a context, and counts the others: an exporter would lose all spans of a batch to one", () => {
    const valid = { context: finishedSpan().spanContext(), attributes: { kind: "cause" } }
    const malformed = [{}, null, undefined, { context: undefined }, { context: {} }] as unknown as Link[]
    const view = sanitizeSpan({ ...finishedSpan({ links: [...malformed, valid] }), droppedLinksCount: 1 })
    expect([view.links, view.droppedLinksCount]).toEqual([[valid], 6])
    const bytes = JsonTraceSerializer.serializeRequest([view])
    expect(Buffer.from(bytes ?? []).toString()).toContain(valid.context.spanId)
  })

  test("contains everything that is not a secret", () => {
    const attributes = {
      "http.route": "/items/[id]",
      "session.id": "6f0c",
      "gen_ai.usage.input_tokens": 12,
      "app.note": "how? like this: a = b # c",
      "app.share": 0.5,
      "db.query.text": "SELECT a FROM b WHERE c = ? -- d",
      "http.request.header.accept": ["text/html"],
    }
    expect(sanitizeSpan(finishedSpan({ attributes })).attributes).toEqual(attributes)
  })

  test.each([
    [
      { "http.method": "GET", "http.status_code": 404, "http.target": "/a/b?c=d" },
      {
        "http.method": "GET",
        "http.request.method": "GET",
        "http.status_code": 404,
        "http.response.status_code": 404,
        "http.target": "/a/b",
        "url.path": "/a/b",
      },
    ],
    [
      { "http.method": "GET", "http.request.method": "POST" },
      { "http.method": "GET", "http.request.method": "POST" },
    ],
    [
      { "db.system": "redis", "db.statement": "GET a" },
      { "db.system": "redis", "db.system.name": "redis", "db.statement": "GET a", "db.query.text": "GET a" },
    ],
  ])("names %o by the stable conventions too", (given, expected) => {
    expect(sanitizeSpan(finishedSpan({ attributes: given })).attributes).toEqual(expected)
  })

  test("is created once for each span, with its ids, parent and times", () => {
    const span = finishedSpan({ parent: { spanId: "1".repeat(16) }, start: 5, end: 7 })
    const view = sanitizeSpan(span)
    expect(sanitizeSpan(span)).toBe(view)
    expect(sanitizeSpan(view)).toBe(view)
    expect(view.spanContext()).toEqual(span.spanContext())
    expect([view.parentSpanContext, view.startTime, view.endTime]).toEqual([
      span.parentSpanContext,
      span.startTime,
      span.endTime,
    ])
  })

  test("reports the number of removed attributes to OTLP", () => {
    const span = finishedSpan({ attributes: { "url.query": "a=b", "http.request.header.cookie": "c" } })
    expect(sanitizeSpan(span).droppedAttributesCount).toBe(2)
  })

  test("is sanitized in bounded time, even for a text made to be slow", () => {
    const hostile = `${"https://".repeat(20_000)}${"/".repeat(100_000)}${"a@".repeat(50_000)}${"token_".repeat(20_000)}`
    const span = finishedSpan({ attributes: { note: hostile }, name: hostile })
    expect(sanitizeSpan(span).name.length).toBeGreaterThan(0)
  })
})

describe("a server transaction", () => {
  const attributes = {
    "http.method": "GET",
    "http.status_code": 200,
    "http.target": "/items/7?token=x",
    "http.request.header.host": ["shop.example"],
    "http.request.header.accept": ["text/html"],
    "user_agent.original": "curl/8",
  }

  test("has the request's URL without a query and the allowed headers", () => {
    const root = sanitizeSpan(finishedSpan({ attributes }))
    const { payload } = assembleTransaction(root, [], { ...OPTIONS, request: transactionRequest(root.attributes) })
    expect(payload.request).toEqual({
      method: "GET",
      url: "http://shop.example/items/7",
      headers: { host: "shop.example", accept: "text/html", "user-agent": "curl/8" },
    })
    expect(payload.contexts.response).toEqual({ status_code: 200 })
  })

  test("sets no request on a page's transaction", () => {
    const transaction = assembleTransaction(finishedSpan({ attributes }), [], { ...OPTIONS, platform: "javascript" })
    expect(JSON.parse(JSON.stringify(sanitizePayload(transaction).payload))).not.toHaveProperty("request")
  })
})

describe("measurements", () => {
  function measured(root: Record<string, number>, ...children: [name: string, Record<string, number>][]) {
    const spans = children.map(([name, attributes]) => finishedSpan({ name, attributes }))
    const options = { ...OPTIONS, platform: "javascript" } as const
    return sanitizePayload(assembleTransaction(finishedSpan({ attributes: root }), spans, options)).payload.measurements
  }

  test("are read from children that are web vitals, with Sentry's units", () => {
    expect(
      measured(
        {},
        ["browser.web_vital.lcp", { "browser.web_vital.lcp.value": 1_234.5 }],
        ["browser.web_vital.cls", { "browser.web_vital.cls.value": 0.1 }],
        ["browser.web_vital.inp", { "browser.web_vital.inp.value": 96, "browser.web_vital.inp.other": 1 }],
      ),
    ).toEqual({
      lcp: { value: 1_234.5, unit: "millisecond" },
      cls: { value: 0.1, unit: "" },
      inp: { value: 96, unit: "millisecond" },
    })
  })

  test("are read from the root as well, and a child's take precedence", () => {
    expect(
      measured({ "browser.web_vital.ttfb.value": 80, "browser.web_vital.lcp.value": 1 }, [
        "browser.web_vital.lcp",
        { "browser.web_vital.lcp.value": 2 },
      ]),
    ).toEqual({ ttfb: { value: 80, unit: "millisecond" }, lcp: { value: 2, unit: "millisecond" } })
  })

  test("do not include what is not a number, and are absent if there are none", () => {
    expect(measured({ "browser.web_vital.lcp.value": Number.NaN })).toBeUndefined()
  })
})
