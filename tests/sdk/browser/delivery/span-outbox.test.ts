import { INVALID_SPAN_CONTEXT, type Span, SpanStatusCode, type Tracer } from "@opentelemetry/api"
import { expect, test } from "vitest"
import { KEEPALIVE_BUDGET_BYTES, PAGE_QUEUE_BYTES_LIMIT, PAGE_QUEUE_SPAN_LIMIT } from "#otel/protocol/limits.ts"
import type { SpanRedaction } from "#otel/protocol/otlp/format-spans.ts"
import type { Batch } from "#otel/sdk/browser/delivery/batch-sender.ts"
import { SpanOutbox } from "#otel/sdk/browser/delivery/span-outbox.ts"
import { FakeClock } from "../fake-clock.ts"
import { recorderOf } from "../recorder/recorder-of.ts"

function setUp() {
  const clock = new FakeClock()
  const sent: (Batch & { readonly isLeaving: boolean })[] = []
  const reasons: string[] = []
  const page = { dropped: 0, reasons, isLeaving: false, redaction: undefined as SpanRedaction | undefined }
  const outbox = new SpanOutbox({
    clock,
    send: (batch, isLeaving) => sent.push({ ...batch, isLeaving }),
    isLeaving: () => page.isLeaving,
    keepaliveRoom: () => KEEPALIVE_BUDGET_BYTES,
    waitingBytes: () => 0,
    isSampled: (span) => (span.spanContext().traceFlags & 1) === 1,
    dropped: (reason, _, spans) => {
      page.dropped += spans
      page.reasons.push(reason)
    },
    redaction: () => page.redaction,
  })
  const tracer = recorderOf(outbox).getTracer("test")
  const end = (count: number, text = "short") => {
    for (let index = 0; index < count; index++) tracer.startSpan(`span ${index}`, { attributes: { text } }).end()
  }
  return { clock, sent, page, outbox, tracer, end }
}

const namesIn = ({ body }: Batch): string[] =>
  JSON.parse(new TextDecoder().decode(body)).resourceSpans[0].scopeSpans[0].spans.map(
    ({ name }: { name: string }) => name,
  )

test("until a destination is known spans wait, and then they are sent in one batch", () => {
  const { outbox, sent, end, clock } = setUp()
  end(3)
  clock.advance(60_000)
  expect(sent).toEqual([])
  outbox.release()
  expect(sent.map(namesIn)).toEqual([["span 0", "span 1", "span 2"]])
})

test("a batch is sent 5 s after its first span", () => {
  const { outbox, sent, end, clock } = setUp()
  outbox.release()
  end(1)
  clock.advance(4_999)
  expect(sent).toEqual([])
  end(1)
  clock.advance(1)
  expect(sent).toHaveLength(1)
  expect(sent[0]).toMatchObject({ spans: 2, isLeaving: false })
})

test("at most 2,048 spans wait, and the others are counted", () => {
  const { outbox, sent, end, page } = setUp()
  end(PAGE_QUEUE_SPAN_LIMIT + 7)
  expect(page.dropped).toBe(7)
  outbox.release()
  expect(sent.map(({ spans }) => spans)).toEqual([PAGE_QUEUE_SPAN_LIMIT])
})

test("at most 1 MiB waits, and spans beyond are counted", () => {
  const { outbox, sent, end, page } = setUp()
  end(20, "x".repeat(100_000))
  expect(page.dropped).toBe(10)
  outbox.release()
  expect(sent[0]!.body.length).toBeLessThan(PAGE_QUEUE_BYTES_LIMIT * 1.05)
})

test("waiting spans are measured in bytes, not in characters, wherever their text is", () => {
  const text = "日".repeat(50_000)
  const spanWith = (outbox: SpanOutbox) => recorderOf(outbox).getTracer("test")
  const carriers: readonly ((tracer: Tracer) => Span)[] = [
    (tracer) => tracer.startSpan(text),
    (tracer) => tracer.startSpan("of an attribute", { attributes: { text } }),
    (tracer) => tracer.startSpan("of a key", { attributes: { [text]: 1 } }),
    (tracer) => tracer.startSpan("of a list", { attributes: { texts: [text, "short"] } }),
    (tracer) => tracer.startSpan("of an event").addEvent("exception", { "exception.message": text }),
    (tracer) => tracer.startSpan("of a status").setStatus({ code: SpanStatusCode.ERROR, message: text }),
    (tracer) => tracer.startSpan("of a link", { links: [{ context: INVALID_SPAN_CONTEXT, attributes: { text } }] }),
  ]
  for (const carrier of carriers) {
    const { outbox, sent, page } = setUp()
    for (let index = 0; index < 20; index++) carrier(spanWith(outbox)).end()
    outbox.release()
    expect(sent[0]!.body.length).toBeLessThan(PAGE_QUEUE_BYTES_LIMIT)
    expect([sent[0]!.spans, page.dropped]).toEqual([6, 14])
  }
})

test("many small attributes count with their size in JSON", () => {
  const { outbox, sent, page } = setUp()
  const tracer = recorderOf(outbox).getTracer("test")
  const attributes = Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`key.${index}`, index]))
  for (let index = 0; index < 500; index++) tracer.startSpan("wide", { attributes }).end()
  outbox.release()
  expect(page.dropped).toBeGreaterThan(0)
  expect(sent[0]!.body.length).toBeLessThan(PAGE_QUEUE_BYTES_LIMIT)
})

test("spans that are sent on unload are split so that the last ones fit the keepalive limit, in bytes", () => {
  const { outbox, sent, end } = setUp()
  end(60, "日".repeat(1_000))
  outbox.flush(true)
  expect(sent.every(({ isLeaving }) => isLeaving)).toBe(true)
  expect(sent).toHaveLength(2)
  expect(sent[0]!.body.length).toBeLessThanOrEqual(KEEPALIVE_BUDGET_BYTES)
  expect(sent[0]!.body.length).toBeGreaterThan(KEEPALIVE_BUDGET_BYTES * 0.9)
  expect(namesIn(sent[0]!).at(-1)).toBe("span 59")
  expect(sent[0]!.spans + sent[1]!.spans).toBe(60)
})

test("a span that ends during unload does not wait for a timer", () => {
  const { sent, end, page } = setUp()
  page.isLeaving = true
  end(1)
  expect(sent).toHaveLength(1)
})

test("a stopped outbox holds and sends nothing", () => {
  const { outbox, sent, end, clock } = setUp()
  outbox.release()
  end(5)
  outbox.stop()
  end(5)
  outbox.flush(true)
  clock.advance(60_000)
  expect(sent).toEqual([])
  expect(clock.pendingTimers).toBe(0)
})

test("spans are redacted when they are sent, as their destination requires then", () => {
  const { outbox, sent, end, page } = setUp()
  end(1, "hunter2")
  page.redaction = { text: (text) => `redacted ${text}`, attributes: () => ({}) }
  outbox.release()
  expect(sent.map(namesIn)).toEqual([["redacted span 0"]])
  expect(new TextDecoder().decode(sent[0]?.body)).not.toContain("hunter2")
})

test("a span that cannot be formatted is counted, and keeps no other span back", () => {
  const { outbox, sent, tracer, end, page } = setUp()
  end(1)
  tracer.startSpan("a link without a context", { links: [{ context: undefined as never }] }).end()
  end(1)
  outbox.release()
  end(2)
  outbox.flush()
  expect(sent.map(namesIn)).toEqual([
    ["span 0", "span 0"],
    ["span 0", "span 1"],
  ])
  expect([page.dropped, page.reasons]).toEqual([1, ["internal_sdk_error"]])
})
