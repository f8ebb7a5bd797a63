import type { Attributes } from "@opentelemetry/api"
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import { PAGE_QUEUE_BYTES_LIMIT, PAGE_QUEUE_SPAN_LIMIT } from "../../../protocol/limits.ts"
import {
  formatSpan,
  type FormattedSpan,
  formatTracesRequest,
  type SpanRedaction,
} from "../../../protocol/otlp/format-spans.ts"
import type { Clock } from "../clock.ts"
import { safely } from "../../../protocol/safely.ts"
import type { SpanListener } from "../recorder/recorder.ts"
import type { Batch } from "./batch-sender.ts"
import type { CountDrop } from "./page-drops.ts"
import { byteLength } from "./page-fetch.ts"

/** A batch is sent this long after its first span, or when a root ends or the page is left. */
const FLUSH_MS = 5_000
/** JSON of a span, an event or a link without its strings: ids, times, key names. */
const RECORD_OVERHEAD_BYTES = 400
/** JSON around an attribute's key, and around each of its values, numbers included. */
const KEY_OVERHEAD_BYTES = 20
const VALUE_OVERHEAD_BYTES = 24
/** Resource and scope around the spans. */
const REQUEST_OVERHEAD_BYTES = 1_024

interface SpanOutboxOptions {
  readonly clock: Clock
  send(batch: Batch, isLeaving: boolean): void
  /** Whether the page is hidden or left: then nothing may wait for a timer. */
  isLeaving(): boolean
  /** Bytes that one more `keepalive` request may have. */
  keepaliveRoom(): number
  /** Bytes of batches that wait elsewhere, which count against the same limit. */
  waitingBytes(): number
  /** Called when a span is sent: the decision may have been made since it ended. */
  isSampled(span: ReadableSpan): boolean
  readonly dropped: CountDrop
  /** How spans are redacted that are sent now. `undefined`: the receiver redacts them. */
  redaction(): SpanRedaction | undefined
}

/**
 * Queues finished spans for the collector and sends them as OTLP/JSON, in batches. The queue is bounded in number and in
 * bytes: past a limit new spans are dropped and counted.
 */
export class SpanOutbox implements SpanListener {
  readonly #options: SpanOutboxOptions
  #waiting: ReadableSpan[] = []
  #waitingBytes = 0
  #timer: number | undefined
  #isHeld = true
  #isStopped = false

  constructor(options: SpanOutboxOptions) {
    this.#options = options
  }

  /** Sends batches from now on: the destination is known. */
  release(): void {
    this.#isHeld = false
    this.flush()
  }

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    if (this.#isStopped || (span.spanContext().traceFlags & 1) === 0) return
    const bytes = bytesOf(span)
    const room = PAGE_QUEUE_BYTES_LIMIT - this.#options.waitingBytes() - this.#waitingBytes
    if (this.#waiting.length >= PAGE_QUEUE_SPAN_LIMIT || bytes > room)
      return this.#options.dropped("queue_overflow", "span", 1)
    this.#waiting.push(span)
    this.#waitingBytes += bytes
    // Web vitals settle in listeners that run after ours.
    if (this.#options.isLeaving()) return this.flush(true)
    this.#timer ??= this.#options.clock.setTimeout(() => this.flush(), FLUSH_MS)
  }

  /** @param isLeaving the page is left: everything is sent now, split so that the last spans can outlive the page. */
  flush(isLeaving = false): void {
    this.#stopTimer()
    if (this.#isHeld && !isLeaving) return
    const { isSampled, redaction, dropped } = this.#options
    const waiting = this.#waiting.filter(isSampled)
    this.#clear()
    // An app's own span may have a link without a context.
    const spans = waiting.flatMap((span) => safely(() => [{ span, text: formatSpan(span, redaction()) }]) ?? [])
    if (spans.length < waiting.length) dropped("internal_sdk_error", "span", waiting.length - spans.length)
    if (spans.length === 0) return
    for (const part of isLeaving ? this.#parts(spans) : [spans]) {
      const body = new TextEncoder().encode(formatTracesRequest(part))
      this.#options.send({ body, spans: part.length }, isLeaving)
    }
  }

  /** Discards what waits, and accepts no more. */
  stop(): void {
    this.#stopTimer()
    this.#clear()
    this.#isStopped = true
  }

  #stopTimer(): void {
    this.#options.clock.clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #clear(): void {
    this.#waiting = []
    this.#waitingBytes = 0
  }

  /** The first part fits the `keepalive` budget. It holds the last spans: roots end after their children and name them. */
  #parts(spans: readonly FormattedSpan[]): FormattedSpan[][] {
    let room = this.#options.keepaliveRoom() - REQUEST_OVERHEAD_BYTES
    let index = spans.length
    for (; index > 0; index--) {
      room -= byteLength(spans[index - 1]?.text) + 1
      if (room < 0) break
    }
    return [spans.slice(index), spans.slice(0, index)].filter((part) => part.length > 0)
  }
}

/** Approximate bytes of the span as JSON in UTF-8. */
function bytesOf({ name, attributes, events, links, status }: ReadableSpan): number {
  let bytes = recordBytes(attributes) + byteLength(name) + byteLength(status.message)
  for (const each of [...events, ...links]) bytes += recordBytes(each.attributes)
  return bytes
}

function recordBytes(attributes: Attributes | undefined): number {
  let bytes = RECORD_OVERHEAD_BYTES
  for (const key in attributes) {
    bytes += KEY_OVERHEAD_BYTES + byteLength(key)
    const values = attributes[key]
    for (const value of Array.isArray(values) ? values : [values])
      bytes += VALUE_OVERHEAD_BYTES + (typeof value === "string" ? byteLength(value) : 0)
  }
  return bytes
}
