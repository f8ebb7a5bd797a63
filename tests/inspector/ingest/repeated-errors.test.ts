import { expect, test } from "vitest"
import { RepeatedErrors } from "#otel/inspector/ingest/repeated-errors.ts"
import { errorsOfSpans } from "#otel/protocol/records/exception.ts"
import type { SpanId, TraceId } from "#otel/protocol/records/ids.ts"
import type { SpanRecord } from "#otel/protocol/records/span.ts"
import { startReceiver } from "./receiver-under-test.ts"
import { spanRecord } from "./span-records.ts"

const TRACE_ID = "cd".repeat(16) as TraceId

const idOf = (name: string) => Buffer.from(name.padStart(8)).toString("hex") as SpanId

function between(name: string, below?: string, traceId = TRACE_ID): SpanRecord {
  return {
    ...spanRecord(0),
    traceId,
    spanId: idOf(name),
    parentSpanId: below === undefined ? below : idOf(below),
    name,
  }
}

function failing(name: string, below?: string, message = "no such table", traceId?: TraceId): SpanRecord {
  const span = between(name, below, traceId)
  const attributes = new Map([
    ["exception.type", "Error"],
    ["exception.message", message],
  ])
  return { ...span, events: [{ time: span.endTime, name: "exception", attributes }] }
}

/** The names of the spans whose errors are ingested when these requests arrive. */
async function ingested(...requests: readonly (readonly SpanRecord[])[]): Promise<string[]> {
  const { receiver, sink } = await startReceiver()
  for (const spans of requests) expect((await receiver.ingest({ spans })).outcome).toBe("accepted")
  await receiver.close()
  return sink.errors.map(({ transaction }) => transaction)
}

test("an exception that a span above repeats in a later request is one error", async () => {
  expect(await ingested([failing("query", "request")], [failing("request")])).toEqual(["query"])
  const layers = [between("step", "render"), failing("render", "request"), between("request")]
  expect(await ingested([failing("query", "step")], layers)).toEqual(["query"])
  expect(await ingested([failing("query", "step")], [failing("step", "render")], [failing("render")])).toEqual([
    "query",
  ])
})

test("an exception that a span below has in a later request is one error", async () => {
  const below = [failing("query", "step"), between("step", "request")]
  expect(await ingested([failing("request")], below)).toEqual(["request"])
})

test("an exception that one span names by its code and another by its class is one error", async () => {
  const named = (type: string, span: SpanRecord, stack = "Error: no answer\n    at connect (/app/db.ts:3:9)") => {
    const texts = { "exception.type": type, "exception.message": "no answer", "exception.stacktrace": stack }
    return { ...span, events: [{ time: span.endTime, name: "exception", attributes: new Map(Object.entries(texts)) }] }
  }
  const [lower, upper] = [named("ECONNREFUSED", between("query", "request")), named("Error", between("request"))]
  expect(await ingested([lower, upper])).toEqual(["request"])
  expect(await ingested([lower], [upper])).toEqual(["query"])
  const another = named("Error", between("request"), "Error: no answer\n    at connect (/app/cache.ts:3:9)")
  expect(await ingested([lower, another])).toEqual(["query", "request"])
})

test("equal exceptions of siblings and of other traces, and other exceptions above, are errors of their own in any request", async () => {
  expect(await ingested([failing("one", "root")], [failing("two", "root")])).toEqual(["one", "two"])
  expect(await ingested([failing("query", "root")], [failing("root", undefined, "gone")])).toEqual(["query", "root"])
  const other = failing("root", undefined, undefined, "ef".repeat(16) as TraceId)
  expect(await ingested([failing("query", "root")], [other])).toEqual(["query", "root"])
})

test("a request that is sent again keeps its errors", async () => {
  const [lower, upper] = [[failing("query", "request")], [failing("request")]]
  expect(await ingested(lower, lower, upper, upper, lower)).toEqual(["query", "query", "query"])
})

test("an exception whose request was refused hides no other", () => {
  const repeated = new RepeatedErrors()
  const [lower, upper] = [[failing("query", "request")], [failing("request")]]
  expect(repeated.first(lower, errorsOfSpans(lower))).toHaveLength(1)
  expect(repeated.first(upper, errorsOfSpans(upper))).toHaveLength(1)
})

test("exceptions without end do not fill the memory, since those of old traces are forgotten", () => {
  const repeated = new RepeatedErrors()
  const traceOf = (trace: number) => trace.toString(16).padStart(32, "0") as TraceId
  for (let trace = 0; trace < 10_001; trace++) {
    const spans = [failing("query", "request", "boom", traceOf(trace))]
    repeated.remember(spans, errorsOfSpans(spans))
  }
  const above = (trace: number) => {
    const spans = [failing("request", undefined, "boom", traceOf(trace))]
    return repeated.first(spans, errorsOfSpans(spans))
  }
  expect(above(10_000)).toHaveLength(0)
  expect(above(0)).toHaveLength(1)
})

test("requests that are refused fill no memory either", () => {
  const repeated = new RepeatedErrors()
  const [oldest, newest] = ["1", "2"].map((digit) => digit.repeat(32) as TraceId)
  for (const traceId of [oldest, newest]) {
    const spans = [failing("query", "request", "boom", traceId)]
    repeated.remember(spans, errorsOfSpans(spans))
  }
  const below = Array.from({ length: 10_000 }, (_, index) => failing(String(index), "query", "boom", newest))
  expect(repeated.first(below, errorsOfSpans(below))).toHaveLength(0)
  const above = [failing("request", undefined, "boom", oldest)]
  expect(repeated.first(above, errorsOfSpans(above))).toHaveLength(1)
})
