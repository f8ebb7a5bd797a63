import { describe, expect, test } from "vitest"
import { ATTRIBUTE_VALUE_LIMIT_BYTES } from "#otel/protocol/limits.ts"
import type { SpanRecord } from "#otel/protocol/records/span.ts"
import { nanoseconds } from "#otel/protocol/records/time.ts"
import { ago, plus, service, span, spanId, traceId } from "./spans.ts"
import { storeOfFile } from "./stores.ts"

const store = storeOfFile()

test("a span is read back completely: every field, every type, every nanosecond", async () => {
  const start = plus(ago(60_000), 123_456_789n)
  const full: SpanRecord = {
    traceId: traceId(1),
    spanId: spanId(11),
    parentSpanId: spanId(12),
    traceState: "vendor=a,other=b",
    flags: 0x301,
    name: "GET /cart/[item]'; DROP TABLE otel_traces --\n\t\\",
    kind: "client",
    startTime: start,
    endTime: plus(start, 987_654_321n),
    status: { code: "error", message: 'it "failed" \u0000 ☃' },
    attributes: new Map<string, never>([
      ["http.response.status_code", 500n],
      ["ratio", 0.1],
      ["cached", false],
      ["http.request.header.accept", ["a", "b"]],
      ["", "empty name"],
      ["10", "a name that JSON objects move to the front"],
      ["9", "the same"],
    ] as never),
    events: [
      { time: plus(start, 1n), name: "exception", attributes: new Map([["exception.escaped", true]]) },
      { time: plus(start, 2n), name: "", attributes: new Map() },
    ],
    links: [{ traceId: traceId(2), spanId: spanId(2), traceState: "x=y", attributes: new Map([["link.weight", 2n]]) }],
    dropped: { attributes: 1, events: 2, links: 3 },
    resource: {
      attributes: new Map<string, string | bigint>([
        ["service.name", "shop"],
        ["process.pid", 42n],
      ]),
      schemaUrl: "https://opentelemetry.io/schemas/1.37.0",
    },
    scope: { name: "scope", version: "1.2", attributes: new Map([["scope.level", 3n]]) },
    source: "otlp",
  }
  await store().insertSpans([full], "whole")
  expect(await store().readTrace(traceId(1))).toStrictEqual([full])
})

test("spans are ordered by start time, and those of other traces are not read", async () => {
  const start = ago(1_000)
  const spans = [3, 1, 2].map((order) => span(3, 30 + order, { startTime: plus(start, BigInt(order)) }))
  await store().insertSpans([...spans, span(4, 41)], "order")
  const read = await store().readTrace(traceId(3))
  expect(read.map((record) => record.spanId)).toStrictEqual([spanId(31), spanId(32), spanId(33)])
})

test("an unknown trace is empty", async () => {
  expect(await store().readTrace(traceId(404))).toStrictEqual([])
})

test("a trace can span midnight and several days", async () => {
  const spans = [0, 1, 2].map((day) => span(5, 50 + day, { startTime: ago(day * 86_400_000 + 5_000) }))
  await store().insertSpans(spans, "days")
  expect((await store().readTrace(traceId(5))).map((record) => record.spanId)).toStrictEqual([52, 51, 50].map(spanId))
})

test("a span that was sent over both protocols is one span, with OTLP's types", async () => {
  const start = ago(1_000)
  const otlp = span(6, 60, { startTime: start, attributes: new Map([["n", 5n]]) })
  const sentry = span(6, 60, {
    source: "sentry",
    startTime: plus(start, -321n), // Sentry sends seconds as doubles.
    attributes: new Map([["n", "five"]]),
  })
  await store().insertSpans([sentry], "by sentry")
  expect(await store().readTrace(traceId(6))).toStrictEqual([sentry])
  await store().insertSpans([otlp], "by otlp")
  expect(await store().readTrace(traceId(6))).toStrictEqual([otlp])
})

test("spans that exceed one insert are all stored", async () => {
  const large = "x".repeat(ATTRIBUTE_VALUE_LIMIT_BYTES)
  const attributes = new Map(Array.from({ length: 16 }, (_, index) => [`large ${index}`, large]))
  const spans = Array.from({ length: 40 }, (_, index) => span(7, 700 + index, { attributes }))
  await store().insertSpans(spans, "large")
  const read = await store().readTrace(traceId(7))
  expect(read).toHaveLength(40)
  expect(read.every((record) => record.attributes.get("large 15") === large)).toBe(true)
})

describe("times at the limits", () => {
  test("an end before the start is stored as a duration of zero", async () => {
    const start = ago(1_000)
    await store().insertSpans([span(8, 80, { startTime: start, endTime: plus(start, -5n) })], "backwards")
    const [read] = await store().readTrace(traceId(8))
    expect(read?.endTime).toBe(start)
  })

  test("a start after the year 2099 is stored as its end, and an end beyond 64 bits is limited to them", async () => {
    const far = nanoseconds(2n ** 64n - 1n)
    await store().insertSpans([span(9, 90, { startTime: far, endTime: far })], "far")
    const [read] = await store().readTrace(traceId(9))
    expect(read?.startTime).toBe(4_102_444_799_999_999_999n)
    expect(read?.endTime).toBe(far)
  })
})

test("an event may have the time of the epoch", async () => {
  const event = { time: nanoseconds(1n), name: "no clock", attributes: new Map() }
  await store().insertSpans([span(11, 110, { events: [event] })], "epoch")
  expect((await store().readTrace(traceId(11)))[0]?.events).toStrictEqual([event])
})

test("a resource without a service name has the service unknown_service", async () => {
  const nameless = { ...service(""), attributes: new Map() }
  await store().insertSpans([span(10, 100, { resource: nameless })], "nameless")
  const { traces } = await store().listTraces({ limit: 1, service: "unknown_service" })
  expect(traces.map((trace) => trace.traceId)).toStrictEqual([traceId(10)])
  expect((await store().readTrace(traceId(10)))[0]?.resource.attributes.size).toBe(0)
})
