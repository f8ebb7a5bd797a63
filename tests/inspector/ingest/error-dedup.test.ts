import { expect, test, vi } from "vitest"
import { ErrorDedup } from "#otel/inspector/ingest/error-dedup.ts"
import { Ingestor, RecordQueue } from "#otel/inspector/ingest/ingestor.ts"
import type { Append, Journal } from "#otel/inspector/ingest/journal/journal.ts"
import { PlainRequest } from "#otel/protocol/otlp/plain-request.ts"
import type { ErrorEvent } from "#otel/protocol/records/error.ts"
import { post, type ReceiverUnderTest, startReceiver } from "./receiver-under-test.ts"

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
const SPAN_ID = "b7ad6b7169203331"

interface Reported {
  readonly spanId?: string
  readonly type?: string
  readonly value?: string
  readonly stack?: string
  readonly times?: number
}

async function sendSpan(
  { receiver }: ReceiverUnderTest,
  { spanId = SPAN_ID, type = "TypeError", value = "boom", stack = "", times = 1 }: Reported = {},
) {
  const attributes = [
    { key: "exception.type", value: { stringValue: type } },
    { key: "exception.message", value: { stringValue: value } },
    { key: "exception.stacktrace", value: { stringValue: stack } },
  ]
  const events = Array.from({ length: times }, (_, index) => ({
    timeUnixNano: `170000000050000000${index}`,
    name: "exception",
    attributes,
  }))
  const span = {
    traceId: TRACE_ID,
    spanId,
    name: "GET /items/[id]",
    startTimeUnixNano: "1700000000000000000",
    endTimeUnixNano: "1700000001000000000",
    events,
  }
  const response = await receiver.traces(post(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] })))
  expect(response.status).toBe(200)
}

let sent = 0

async function sendEvent(
  { receiver }: ReceiverUnderTest,
  { spanId = SPAN_ID, type = "TypeError", value = "boom" }: Reported = {},
  id?: string,
) {
  sent += 1
  const event = {
    event_id: id ?? sent.toString(16).padStart(32, "0"),
    timestamp: 1_700_000_000.503,
    exception: { values: [{ type, value }] },
    contexts: { trace: { trace_id: TRACE_ID, span_id: spanId } },
  }
  const body = `{}\n{"type":"event"}\n${JSON.stringify(event)}`
  const response = await receiver.envelope(post(body, { "content-type": "text/plain" }, "/api/1/envelope/"))
  expect(response.status).toBe(200)
}

async function sourcesOf(under: ReceiverUnderTest): Promise<string[]> {
  await under.receiver.close()
  return under.sink.errors.map(({ source }) => source)
}

test("an exception that a span and a Sentry event both report is one error, whichever comes first", async () => {
  const first = await startReceiver()
  await sendEvent(first)
  await sendSpan(first)
  expect(await sourcesOf(first)).toEqual(["sentry"])
  const second = await startReceiver()
  await sendSpan(second)
  await sendEvent(second)
  expect(await sourcesOf(second)).toEqual(["otlp"])
})

test.each([
  ["on another span", { spanId: "00f067aa0ba902b7" }],
  ["with another value", { value: "another" }],
])("an exception %s is another error, and so is that of a log record", async (_, reported) => {
  const under = await startReceiver()
  await sendEvent(under)
  await sendSpan(under, reported)
  expect(await sourcesOf(under)).toEqual(["sentry", "otlp"])
  const logged = await startReceiver()
  await sendSpan(logged)
  await sendLog(logged, reported)
  expect(await sourcesOf(logged)).toEqual(["otlp", "otlp"])
})

const STACK = "at connect (/app/db.ts:3:9)"

test.each([
  ["ECONNREFUSED", `Error: boom\n    ${STACK}`, "Error"],
  ["ERR_INVALID_URL", `TypeError [ERR_INVALID_URL]: boom\n    ${STACK}`, "TypeError"],
  ["23505", `DatabaseError: boom\n    ${STACK}`, "DatabaseError"],
])("an exception that a span names by its code %s and Sentry by its class is one error", async (type, stack, name) => {
  const first = await startReceiver()
  await sendEvent(first, { type: name })
  await sendSpan(first, { type, stack })
  expect(await sourcesOf(first)).toEqual(["sentry"])
  const second = await startReceiver()
  await sendSpan(second, { type, stack })
  await sendEvent(second, { type: name })
  expect(await sourcesOf(second)).toEqual(["otlp"])
})

test.each([
  ["of another class", { type: "RangeError", stack: `RangeError: boom\n    ${STACK}` }],
  ["of a class that its stack does not name", { type: "RangeError", stack: `Error: boom\n    ${STACK}` }],
  ["with a code, of another class", { type: "ECONNREFUSED", stack: `RangeError: boom\n    ${STACK}` }],
  ["with a code, and the stack of another message", { type: "ECONNREFUSED", stack: `Error: other\n    ${STACK}` }],
  ["with a code, and no stack", { type: "ECONNREFUSED" }],
])("an exception %s with the same message is another error", async (_, reported) => {
  const under = await startReceiver()
  await sendEvent(under, { type: "Error" })
  await sendSpan(under, reported)
  expect(await sourcesOf(under)).toEqual(["sentry", "otlp"])
})

test("if one protocol reports an exception more often than the other, the larger number counts", async () => {
  const under = await startReceiver()
  await sendEvent(under)
  await sendSpan(under, { times: 3 })
  await sendEvent(under)
  expect((await sourcesOf(under)).length).toBe(3)
})

async function sendLog(
  { receiver }: ReceiverUnderTest,
  { spanId = SPAN_ID, value = "boom", times = 1 }: Reported = {},
) {
  const logRecords = Array.from({ length: times }, (_, index) => ({
    timeUnixNano: `170000000060000000${index}`,
    severityNumber: 17,
    traceId: TRACE_ID,
    spanId,
    attributes: [
      { key: "exception.type", value: { stringValue: "TypeError" } },
      { key: "exception.message", value: { stringValue: value } },
    ],
  }))
  const body = JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] })
  expect((await receiver.logs(post(body, {}, "/v1/logs"))).status).toBe(200)
}

test("an exception that a log record reports too is one error, and the largest number of one reporter counts", async () => {
  const senders = [sendLog, sendSpan, sendEvent]
  for (const [one, two] of [
    [0, 1],
    [1, 0],
    [0, 2],
    [2, 0],
  ] as const) {
    const under = await startReceiver()
    await senders[one]!(under)
    await senders[two]!(under)
    expect(await sourcesOf(under)).toHaveLength(1)
  }
  const all = await startReceiver()
  await sendSpan(all)
  await sendLog(all, { times: 2 })
  await sendEvent(all)
  await sendLog(all, { times: 2 })
  await all.receiver.close()
  expect(new Set(all.sink.errors.map(({ eventId }) => eventId)).size).toBe(2)
  expect(all.sink.logs).toHaveLength(4)
})

test("an event that repeats an exception of a span is no error when it is sent again, either", async () => {
  const under = await startReceiver()
  await sendSpan(under)
  await sendEvent(under, {}, "a".repeat(32))
  await sendEvent(under, {}, "a".repeat(32))
  expect(await sourcesOf(under)).toEqual(["otlp"])
})

test("a repeated event does not count twice", async () => {
  const under = await startReceiver()
  await sendEvent(under, {}, "a".repeat(32))
  await sendEvent(under, {}, "a".repeat(32))
  await sendSpan(under)
  expect(new Set(under.sink.errors.map(({ eventId }) => eventId)).size).toBeLessThanOrEqual(1)
  expect(new Set(await sourcesOf(under))).toEqual(new Set(["sentry"]))
})

const bySource = ({ source }: ErrorEvent) => (source === "otlp" ? "span" : source)

function errorFrom(source: "otlp" | "sentry", eventId = source.padEnd(32, "0")): ErrorEvent {
  return { eventId, traceId: TRACE_ID, spanId: SPAN_ID, type: "TypeError", value: "boom", source } as ErrorEvent
}

test("an error of a refused batch does not hide the report of the other protocol", () => {
  const dedup = new ErrorDedup()
  expect(dedup.first([errorFrom("sentry")], bySource)).toHaveLength(1)
  expect(dedup.first([errorFrom("otlp")], bySource)).toHaveLength(0)
  dedup.forget([errorFrom("sentry"), errorFrom("otlp")], bySource)
  expect(dedup.first([errorFrom("otlp")], bySource)).toHaveLength(1)
})

/** An ingestor whose journal refuses while it is full. @returns the sources of the errors that the journal has. */
function ingestorUnderTest() {
  const journal = { isFull: false, sources: [] as string[] }
  const append: Journal["append"] = async (batch) => {
    if (journal.isFull) return { ok: false, problem: "full" }
    if (!(batch instanceof PlainRequest)) journal.sources.push(...batch.errors.map(({ source }) => source))
    return { ok: true, sequence: 1, place: { segment: 1, start: 0, end: 1 }, encoded: [] } as unknown as Append
  }
  const ingestor = new Ingestor({
    journal: { append, load: () => Promise.reject(new Error("not asked for")) },
    queue: new RecordQueue(1_000, 1_000, 1_000),
    spanLimit: 1_000,
    liveFeed: { publish: () => undefined },
    clock: Date.now,
    isStoreDown: () => false,
    onIngested: () => undefined,
  })
  return { journal, ingestor }
}

test("after a stored error is sent again and refused, the other protocol's report of it is no second error", async () => {
  const { journal, ingestor } = ingestorUnderTest()
  await ingestor.ingest({ errors: [errorFrom("sentry")] })
  journal.isFull = true
  expect(await ingestor.ingest({ errors: [errorFrom("sentry")] })).toMatchObject({ outcome: "refused" })
  journal.isFull = false
  await ingestor.ingest({ errors: [errorFrom("otlp")] })
  expect(journal.sources).toEqual(["sentry"])
})

test("of two copies at once, of which one is refused, the other protocol's report is no second error", async () => {
  const { journal, ingestor } = ingestorUnderTest()
  journal.isFull = true
  const refused = ingestor.ingest({ errors: [errorFrom("sentry")] })
  journal.isFull = false
  await Promise.all([refused, ingestor.ingest({ errors: [errorFrom("sentry")] })])
  await ingestor.ingest({ errors: [errorFrom("otlp")] })
  expect(journal.sources).toEqual(["sentry"])
})

test("a span that reports one exception without end does not fill the memory, since old event ids are forgotten", () => {
  const dedup = new ErrorDedup()
  const repeated = Array.from({ length: 30_000 }, (_, index) => errorFrom("sentry", String(index)))
  expect(dedup.first(repeated, bySource)).toHaveLength(30_000)
  expect(dedup.first([errorFrom("otlp")], bySource)).toHaveLength(1)
})

test("errors of refused batches leave nothing in memory", () => {
  const dedup = new ErrorDedup()
  const maps = new Set<Map<unknown, unknown>>()
  const set = vi.spyOn(Map.prototype, "set")
  const errors = Array.from({ length: 100 }, (_, index) => ({ ...errorFrom("otlp"), value: `boom ${index}` }))
  dedup.first(errors, bySource)
  for (const map of set.mock.contexts) maps.add(map as Map<unknown, unknown>)
  set.mockRestore()
  expect([...maps].map(({ size }) => size)).toStrictEqual([100])
  dedup.forget(errors, bySource)
  expect([...maps].map(({ size }) => size)).toStrictEqual([0])
})
