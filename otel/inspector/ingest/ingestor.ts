import { setImmediate } from "node:timers/promises"
import type { EncodedBatch } from "../../protocol/codec/encode-batch.ts"
import { PlainRequest } from "../../protocol/otlp/plain-request.ts"
import { countRecords, recordBatch, type RecordBatch } from "../../protocol/records/batch.ts"
import type { DropCount, DropReason } from "../../protocol/records/drop.ts"
import type { ErrorEvent } from "../../protocol/records/error.ts"
import { errorsOfSpans } from "../../protocol/records/exception.ts"
import type { LiveFeed } from "../live/live-feed.ts"
import { ErrorDedup, type Reporter } from "./error-dedup.ts"
import type { Append, Journal } from "./journal/journal.ts"
import type { Place } from "./journal/segment.ts"
import { RepeatedErrors } from "./repeated-errors.ts"

/** The outcome of `ingest`. Accepted records are in the journal and survive a crash of the process. */
export type IngestResult =
  | {
      readonly outcome: "accepted"
      /** Errors that were left out, for the caller to count. The records of which they are part are ingested. */
      readonly drops: readonly DropCount[]
    }
  | {
      readonly outcome: "refused"
      readonly reason: DropReason
      /** When to retry; `undefined` when a retry cannot succeed. */
      readonly retryAfterSeconds: number | undefined
    }

/** Long enough for the store to insert one or two batches. */
const RETRY_WHEN_FULL_SECONDS = 2
/** Long enough for a store to start, or for a user to free disk space. */
const RETRY_WHEN_UNAVAILABLE_SECONDS = 5

export interface IngestorOptions {
  readonly journal: Pick<Journal, "append" | "load">
  readonly queue: RecordQueue
  readonly spanLimit: number
  readonly liveFeed: Pick<LiveFeed, "publish">
  readonly clock: () => number
  readonly isStoreDown: () => boolean
  /** Called after each accepted batch. */
  readonly onIngested: () => void
}

/**
 * Accepts all records of a batch or none. Refuses before memory or disk grow past their limits, with the time of a
 * retry. The caller counts what is refused, because it knows the stage and the category.
 */
export class Ingestor {
  readonly #duplicates = new ErrorDedup()
  readonly #repeated = new RepeatedErrors()
  /** Batches that are being written. */
  readonly #running = new Set<Promise<IngestResult>>()
  #isClosed = false

  constructor(private readonly options: IngestorOptions) {}

  /** Largest number of records in one batch. */
  get spanLimit(): number {
    return this.options.spanLimit
  }

  /** Refuses new batches. Resolves once the callers have the outcome of those that are being written. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.allSettled(this.#running)
    // The callers continue in this turn of the event loop.
    await setImmediate()
  }

  /**
   * Exception events of spans become errors here, each once, whatever protocol delivered the spans. Errors for which the limit of
   * a batch leaves no room are left out: a span may have a thousand.
   */
  async ingest(offered: Partial<RecordBatch>): Promise<IngestResult> {
    const { spanLimit } = this.options
    const { errors: reported, ...others } = recordBatch(offered)
    const errors = [...reported, ...this.#repeated.first(others.spans, errorsOfSpans(others.spans))]
    const kept = errors.slice(0, Math.max(0, spanLimit - countRecords({ ...others, errors: [] })))
    const reporterOf = reporters(reported)
    const result = await this.#ingest({ ...others, errors: this.#duplicates.first(kept, reporterOf) })
    if (result.outcome === "refused") this.#duplicates.forget(kept, reporterOf)
    else {
      this.#duplicates.accepted(kept, reporterOf)
      this.#repeated.remember(others.spans, kept.slice(reported.length))
    }
    const count = errors.length - kept.length
    if (result.outcome === "refused" || count === 0) return result
    const sample = `errors of a request past ${spanLimit} records`
    return { ...result, drops: [{ reason: "limit_spans", category: "error", count, sample }] }
  }

  /** Ingests a request as it arrived. None of its spans has an error. */
  ingestRequest(request: PlainRequest): Promise<IngestResult> {
    return this.#ingest(request)
  }

  async #ingest(batch: RecordBatch | PlainRequest): Promise<IngestResult> {
    const running = this.#append(batch)
    this.#running.add(running)
    try {
      return await running
    } finally {
      this.#running.delete(running)
    }
  }

  async #append(batch: RecordBatch | PlainRequest): Promise<IngestResult> {
    const { queue, journal, spanLimit, liveFeed, clock, onIngested } = this.options
    if (this.#isClosed) return refused("store_unavailable", RETRY_WHEN_UNAVAILABLE_SECONDS)
    const recordCount = batch instanceof PlainRequest ? batch.spanCount : countRecords(batch)
    if (recordCount === 0) return { outcome: "accepted", drops: [] }
    if (recordCount > spanLimit) return refused("limit_spans", undefined)
    if (!queue.reserve(recordCount)) return this.#full()
    try {
      const append = await journal.append(batch)
      if (!append.ok) return this.#refusedAppend(append.problem)
      const size = { recordCount, bytes: append.place.end - append.place.start }
      const isHeld = queue.mayHold(size)
      const load = isHeld ? fromMemory(append.encoded) : fromJournal(journal, append.place)
      queue.push({ sequence: append.sequence, ...size, isHeld, since: clock(), load })
      liveFeed.publish(batch, append.sequence)
    } finally {
      queue.release(recordCount)
    }
    onIngested()
    return { outcome: "accepted", drops: [] }
  }

  #refusedAppend(problem: (Append & { ok: false })["problem"]): IngestResult {
    switch (problem) {
      case "full":
        return this.#full()
      case "too_large":
        return refused("too_large", undefined)
      case "unavailable":
        return refused("store_unavailable", RETRY_WHEN_UNAVAILABLE_SECONDS)
    }
  }

  /** A queue that is full because the store is down has its own reason: the remedy differs. */
  #full(): IngestResult {
    return this.options.isStoreDown()
      ? refused("store_unavailable", RETRY_WHEN_UNAVAILABLE_SECONDS)
      : refused("queue_overflow", RETRY_WHEN_FULL_SECONDS)
  }
}

/**
 * Returns who reported an error of a batch.
 *
 * @param reported the errors with which the batch came: events of Sentry's, and log records over OTLP. Those of spans are not among them.
 */
function reporters(reported: readonly ErrorEvent[]): (error: ErrorEvent) => Reporter {
  const known = new Set(reported)
  return (error) => {
    if (error.source === "sentry") return "sentry"
    return known.has(error) ? "log" : "span"
  }
}

/** Separate functions: closures of one scope would keep the encoded batch in memory for both. */
function fromMemory(encoded: EncodedBatch): () => EncodedBatch {
  return () => encoded
}

function fromJournal(journal: Pick<Journal, "load">, place: Place): () => Promise<EncodedBatch> {
  return () => journal.load(place)
}

function refused(reason: DropReason, retryAfterSeconds: number | undefined): IngestResult {
  return { outcome: "refused", reason, retryAfterSeconds }
}

/** An ingested batch that is not stored yet. Its records are in memory, or in the journal alone. */
export interface QueuedBatch {
  readonly sequence: number
  readonly recordCount: number
  /** Its size in the journal, and in memory where it is held. */
  readonly bytes: number
  /** Whether its records are in memory. */
  readonly isHeld: boolean
  /** When it was ingested, in milliseconds of the steady clock. */
  readonly since: number
  load(): Promise<EncodedBatch> | EncodedBatch
}

/**
 * Ingested batches that wait for the store, in the order of the journal. The number of records is limited. Only the
 * oldest batches are held in memory, within a limit of records and bytes: the rest of a burst waits on disk.
 */
export class RecordQueue {
  #batches: QueuedBatch[] = []
  #depth = 0
  #held = 0
  #heldBytes = 0
  #reserved = 0

  constructor(
    private readonly limit: number,
    private readonly heldLimit: number,
    private readonly heldBytesLimit: number,
  ) {}

  /** Records in the queue. */
  get depth(): number {
    return this.#depth
  }

  /** Used share of the limit, from 0 to 1. */
  get fullness(): number {
    return this.#depth / this.limit
  }

  get oldestSince(): number | undefined {
    return this.#batches[0]?.since
  }

  /** Whether this many more records may be held in memory. */
  mayHold({ recordCount, bytes }: Pick<QueuedBatch, "recordCount" | "bytes">): boolean {
    return this.#held + recordCount <= this.heldLimit && this.#heldBytes + bytes <= this.heldBytesLimit
  }

  /** Reserves room for records while the journal writes them; `false` when there is none. */
  reserve(recordCount: number): boolean {
    if (this.#depth + this.#reserved + recordCount > this.limit) return false
    this.#reserved += recordCount
    return true
  }

  release(recordCount: number): void {
    this.#reserved -= recordCount
  }

  push(batch: QueuedBatch): void {
    this.#batches.push(batch)
    this.#depth += batch.recordCount
    if (batch.isHeld) this.#hold(batch.recordCount, batch.bytes)
  }

  /** The oldest batches, up to this many records or the limit of held bytes. They stay in the queue. */
  front(recordCount: number): readonly QueuedBatch[] {
    let sum = 0
    let bytes = 0
    let count = 0
    while (count < this.#batches.length && sum < recordCount && bytes < this.heldBytesLimit) {
      sum += this.#batches[count]?.recordCount ?? 0
      bytes += this.#batches[count]?.bytes ?? 0
      count += 1
    }
    return this.#batches.slice(0, count)
  }

  /** Removes the batches that `front` returned, once they are stored. */
  remove(batches: readonly QueuedBatch[]): void {
    this.#batches = this.#batches.slice(batches.length)
    for (const { recordCount, bytes, isHeld } of batches) {
      this.#depth -= recordCount
      if (isHeld) this.#hold(-recordCount, -bytes)
    }
  }

  #hold(recordCount: number, bytes: number): void {
    this.#held += recordCount
    this.#heldBytes += bytes
  }
}
