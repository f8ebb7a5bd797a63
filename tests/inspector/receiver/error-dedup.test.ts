import { expect, test } from "vitest"
import { ErrorDedup } from "#otel/inspector/ingest/error-dedup.ts"
import type { ErrorEvent } from "#otel/protocol/records/error.ts"
import { post, type ReceiverUnderTest, startReceiver } from "./receiver-under-test.ts"

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
const SPAN_ID = "b7ad6b7169203331"

interface Told {
  readonly spanId?: string
  readonly value?: string
  readonly times?: number
}

async function bySpan({ receiver }: ReceiverUnderTest, { spanId = SPAN_ID, value = "boom", times = 1 }: Told = {}) {
  const attributes = [
    { key: "exception.type", value: { stringValue: "TypeError" } },
    { key: "exception.message", value: { stringValue: value } },
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

async function byEvent({ receiver }: ReceiverUnderTest, { spanId = SPAN_ID, value = "boom" }: Told = {}, id?: string) {
  sent += 1
  const event = {
    event_id: id ?? sent.toString(16).padStart(32, "0"),
    timestamp: 1_700_000_000.503,
    exception: { values: [{ type: "TypeError", value }] },
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

test("an exception that a span and a Sentry event tell is one error, whichever comes first", async () => {
  const first = await startReceiver()
  await byEvent(first)
  await bySpan(first)
  expect(await sourcesOf(first)).toEqual(["sentry"])
  const second = await startReceiver()
  await bySpan(second)
  await byEvent(second)
  expect(await sourcesOf(second)).toEqual(["otlp"])
})

test.each([
  ["on another span", { spanId: "00f067aa0ba902b7" }],
  ["with another value", { value: "another" }],
])("one %s is another error", async (_, told) => {
  const under = await startReceiver()
  await byEvent(under)
  await bySpan(under, told)
  expect(await sourcesOf(under)).toEqual(["sentry", "otlp"])
})

test("where one protocol tells it more often than the other, it happened so often", async () => {
  const under = await startReceiver()
  await byEvent(under)
  await bySpan(under, { times: 3 })
  await byEvent(under)
  expect((await sourcesOf(under)).length).toBe(3)
})

test("an event that is delivered again takes no other's place", async () => {
  const under = await startReceiver()
  await byEvent(under, {}, "a".repeat(32))
  await byEvent(under, {}, "a".repeat(32))
  await bySpan(under)
  expect(new Set(under.sink.errors.map(({ eventId }) => eventId)).size).toBeLessThanOrEqual(1)
  expect(new Set(await sourcesOf(under))).toEqual(new Set(["sentry"]))
})

const error = (source: "otlp" | "sentry", eventId = source.padEnd(32, "0")) =>
  ({ eventId, traceId: TRACE_ID, spanId: SPAN_ID, type: "TypeError", value: "boom", source }) as ErrorEvent

test("remembers a bounded number of events, also of one exception that recurs on one span", () => {
  const dedup = new ErrorDedup()
  const count = 50_000
  for (let index = 0; index < count; index++)
    expect(dedup.first([error("otlp", String(index)), { ...error("otlp"), value: `another ${index}` }])).toHaveLength(2)
  expect(dedup.size).toBeLessThanOrEqual(20_000)
  expect(dedup.size).toBeGreaterThan(0)
  dedup.forget([{ ...error("otlp"), value: `another ${count - 1}` }])
  expect(dedup.first([{ ...error("sentry"), value: `another ${count - 1}` }])).toHaveLength(1)
})

test("what was refused has not been told: the other telling of it is kept", () => {
  const told = new ErrorDedup()
  expect(told.first([error("sentry")])).toHaveLength(1)
  expect(told.first([error("otlp")])).toHaveLength(0)
  told.forget([error("sentry"), error("otlp")])
  expect(told.first([error("otlp")])).toHaveLength(1)
})
