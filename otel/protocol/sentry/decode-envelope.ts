import type { RecordBatch } from "../records/batch.ts"
import { type DropCategory, type DropCount, DropTally } from "../records/drop.ts"
import type { ItemRecord } from "../records/envelope-item.ts"
import { nanoseconds, type Nanoseconds } from "../records/time.ts"
import { errorEventItem, type ItemContext, toItemRecord, transactionEventItem } from "./envelope-item.ts"
import { ItemReader } from "./item-reader.ts"
import { type JsonObject, objectOf, parseObject } from "./json.ts"
import { readClientReport } from "./read-client-report.ts"
import { eventIdOf, readEvent } from "./read-event.ts"
import { readTime } from "./read-fields.ts"
import { readLogs } from "./read-logs.ts"
import { readResource, readScope, readSdk, type SdkFacts } from "./read-origin.ts"
import { readSpansV2, readSpanV1 } from "./read-span.ts"
import { readTransaction } from "./read-transaction.ts"
import { type BrokenEnvelope, type EnvelopeItem, splitEnvelope } from "./split-envelope.ts"

export interface DecodedEnvelope extends RecordBatch {
  readonly ok: true
  /** The event id of the header, else of the event. */
  readonly eventId: string | undefined
  /** The DSN of the header, for envelopes that carry their key there. */
  readonly dsn: string | undefined
  /** Invalid items and cuts of this envelope. */
  readonly drops: readonly DropCount[]
  /** Drops that the SDK reports in client reports. */
  readonly reported: readonly DropCount[]
}

export interface EnvelopeTimes {
  readonly receivedAt: Nanoseconds
  /** Records that start after this are rejected. */
  readonly latest: Nanoseconds
}

/** Decodes an envelope. Wrong framing refuses the envelope; an invalid item is rejected and counted. */
export function decodeEnvelope(bytes: Uint8Array, times: EnvelopeTimes): DecodedEnvelope | BrokenEnvelope {
  const envelope = splitEnvelope(bytes)
  if (!envelope.ok) return envelope
  const items = new EnvelopeReader(envelope.header, times)
  for (const item of envelope.items) items.read(item)
  return items.result()
}

/** Decodes the body of `POST /api/{project}/store/`: one event, as in the payload of an item. */
export function decodeStoreEvent(bytes: Uint8Array, times: EnvelopeTimes): DecodedEnvelope | BrokenEnvelope {
  const event = parseObject(bytes)
  if (event === undefined) return { ok: false, reason: "malformed", problem: "the event is not a JSON object" }
  const items = new EnvelopeReader({}, times)
  items.read({ type: event["type"] === "transaction" ? "transaction" : "event", header: {}, payload: bytes })
  return items.result()
}

class EnvelopeReader {
  readonly #tally = new DropTally()
  readonly #reported = new DropTally()
  readonly #times: EnvelopeTimes
  readonly #sdk: SdkFacts
  readonly #drift: Nanoseconds
  readonly #batch = { spans: [], errors: [], logs: [], items: [] } as {
    -readonly [Kind in keyof RecordBatch]: RecordBatch[Kind][number][]
  }
  /** The reader of the current item, whose cuts are stored with it. */
  #reader: ItemReader
  #eventId: string | undefined
  #event: ItemRecord | undefined

  constructor(
    private readonly header: JsonObject,
    times: EnvelopeTimes,
  ) {
    this.#drift = clockDrift(header["sent_at"], times.receivedAt)
    // By the sender's clock, like all times of the envelope.
    const onSendersClock = (time: Nanoseconds) => nanoseconds(time - this.#drift)
    this.#times = { receivedAt: onSendersClock(times.receivedAt), latest: onSendersClock(times.latest) }
    this.#reader = this.#newReader(this.#tally)
    this.#sdk = readSdk(this.#reader, header["sdk"])
    this.#eventId = eventIdOf(header["event_id"])
  }

  read(item: EnvelopeItem): void {
    const tally = new DropTally()
    this.#reader = this.#newReader(tally)
    this.#readItem(item)
    this.#tally.addAll(tally.list())
  }

  result(): DecodedEnvelope {
    const { dsn } = this.header
    return {
      ok: true,
      eventId: this.#eventId,
      dsn: typeof dsn === "string" ? dsn : undefined,
      ...correctTimes(this.#batch, this.#drift),
      drops: this.#tally.list(),
      reported: this.#reported.list(),
    }
  }

  #newReader(tally: DropTally): ItemReader {
    return new ItemReader(tally, this.#times.receivedAt, this.#times.latest)
  }

  get #context(): ItemContext {
    return { header: this.header, sdk: this.#sdk, eventId: this.#eventId, event: this.#event }
  }

  #readItem(item: EnvelopeItem): void {
    const { type, payload } = item
    switch (type) {
      case "event":
        return this.#json(payload, "error", (event) => this.#readEvent(event, payload))
      case "transaction":
        return this.#json(payload, "transaction", (event) => this.#readTransaction(event, payload))
      case "span":
        return this.#json(payload, "span", (spans) => this.#readSpans(spans))
      case "log":
        return this.#json(payload, "log_item", (logs) => this.#readLogs(logs))
      case "client_report":
        return this.#json(payload, "internal", (report) => readClientReport(report, this.#reported))
      default:
        return void this.#batch.items.push(toItemRecord(this.#reader, item, this.#context))
    }
  }

  #json(payload: Uint8Array, category: DropCategory, read: (object: JsonObject) => void): void {
    const object = parseObject(payload)
    if (object === undefined) this.#reader.reject("malformed", category, "an item's payload is not a JSON object")
    else read(object)
  }

  #readEvent(event: JsonObject, payload: Uint8Array): void {
    const error = readEvent(this.#reader, event, this.#sdk, this.#eventId)
    if (error === undefined) return
    this.#eventId ??= error.eventId
    this.#batch.errors.push(error)
    this.#event = errorEventItem(this.#reader, error, event, payload, this.#context)
    this.#batch.items.push(this.#event)
  }

  #readTransaction(event: JsonObject, payload: Uint8Array): void {
    const spans = readTransaction(this.#reader, event, this.#sdk)
    this.#batch.spans.push(...spans)
    this.#event = transactionEventItem(this.#reader, spans, event, payload, this.#context)
    this.#eventId ??= this.#event.eventId
    this.#batch.items.push(this.#event)
  }

  /** Reads a container of the second span protocol, or one span of the first. */
  #readSpans(object: JsonObject): void {
    const { items } = object
    if (Array.isArray(items)) return void this.#batch.spans.push(...readSpansV2(this.#reader, items, this.#sdk))
    const text = (name: string, { [name]: value } = object) => this.#reader.text(value, name)
    const data = objectOf(object["data"])
    const facts = {
      sdk: this.#sdk,
      platform: text("platform"),
      service: text("service.name", data),
      serverName: "",
      environment: text("environment", data),
      release: text("release", data),
    }
    const origin = { resource: readResource(new Map(), facts), scope: readScope(this.#sdk) }
    const span = readSpanV1(this.#reader, object, text("description"), origin)
    if (span !== undefined) this.#batch.spans.push(span)
  }

  #readLogs(object: JsonObject): void {
    // Before there were containers, some SDKs sent one record per item.
    const items = Array.isArray(object["items"]) ? object["items"] : [object]
    this.#batch.logs.push(...readLogs(this.#reader, items, this.#sdk))
  }
}

/** Smaller drifts are not corrected: Relay's `MINIMUM_CLOCK_DRIFT`. */
const LEAST_DRIFT = 55n * 60n * 1_000_000_000n

const NONE = nanoseconds(0n)

/**
 * How far the sender's clock is behind ours, from `sent_at`; 0 if that is absent or the clocks agree. A sender that stores
 * envelopes for later sets `sent_at` when it sends them.
 *
 * @see https://develop.sentry.dev/sdk/data-model/envelopes/#authenticated-envelopes
 */
export function clockDrift(sentAt: unknown, receivedAt: Nanoseconds): Nanoseconds {
  const sent = readTime(sentAt)
  if (sent === undefined) return NONE
  const drift = receivedAt - sent
  return nanoseconds(drift < LEAST_DRIFT && drift > -LEAST_DRIFT ? 0n : drift)
}

/** The records with their times by our clock. Ids that depend on times do not change, so that a repeated envelope has the same ids. */
export function correctTimes(batch: RecordBatch, drift: Nanoseconds): RecordBatch {
  if (drift === 0n) return batch
  const shift = (time: Nanoseconds): Nanoseconds => {
    const shifted = time + drift
    return shifted > 0n ? nanoseconds(shifted) : time
  }
  return {
    spans: batch.spans.map((span) => ({ ...span, startTime: shift(span.startTime), endTime: shift(span.endTime) })),
    errors: batch.errors.map((error) => ({ ...error, time: shift(error.time) })),
    logs: batch.logs.map((log) => ({ ...log, time: shift(log.time) })),
    items: batch.items.map((item) => ({ ...item, time: shift(item.time) })),
  }
}
