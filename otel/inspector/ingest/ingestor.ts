import type { EncodedBatch } from "../../protocol/codec/encode-batch.ts"
import { countRecords, recordBatch, type RecordBatch } from "../../protocol/records/batch.ts"
import type { DropReason } from "../../protocol/records/drop.ts"
import { errorsOfSpans } from "../../protocol/records/exception.ts"
import type { LiveFeed } from "../live/live-feed.ts"
import { ErrorDedup } from "./error-dedup.ts"
import type { Journal } from "./journal/journal.ts"
import type { Place } from "./journal/segment.ts"
import type { RecordQueue } from "./record-queue.ts"

/** The outcome of `ingest`. Accepted records are in the journal and survive a crash of the process. */
export type IngestResult =
  | { readonly outcome: "accepted" }
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
  #isClosed = false

  constructor(private readonly options: IngestorOptions) {}

  /** Largest number of records in one batch. */
  get spanLimit(): number {
    return this.options.spanLimit
  }

  close(): void {
    this.#isClosed = true
  }

  /** Exception events of spans become errors here, each once, whatever protocol delivered the spans. */
  async ingest(offered: Partial<RecordBatch>): Promise<IngestResult> {
    const batch = withRecordedErrors(offered)
    const errors = this.#duplicates.first(batch.errors)
    const result = await this.#ingest({ ...batch, errors })
    if (result.outcome === "refused") this.#duplicates.forget(batch.errors)
    return result
  }

  async #ingest(batch: RecordBatch): Promise<IngestResult> {
    const { queue, journal, spanLimit, liveFeed, clock, onIngested } = this.options
    if (this.#isClosed) return refused("store_unavailable", RETRY_WHEN_UNAVAILABLE_SECONDS)
    const recordCount = countRecords(batch)
    if (recordCount === 0) return { outcome: "accepted" }
    if (recordCount > spanLimit) return refused("limit_spans", undefined)
    if (!queue.reserve(recordCount)) return this.#full()
    try {
      const append = await journal.append(batch)
      if (!append.ok)
        return append.problem === "full" ? this.#full() : refused("store_unavailable", RETRY_WHEN_UNAVAILABLE_SECONDS)
      const size = { recordCount, bytes: append.place.end - append.place.start }
      const isHeld = queue.mayHold(size)
      const load = isHeld ? fromMemory(append.encoded) : fromJournal(journal, append.place)
      queue.push({ sequence: append.sequence, ...size, isHeld, since: clock(), load })
    } finally {
      queue.release(recordCount)
    }
    liveFeed.publish(batch)
    onIngested()
    return { outcome: "accepted" }
  }

  /** A queue that is full because the store is down has its own reason: the remedy differs. */
  #full(): IngestResult {
    return this.options.isStoreDown()
      ? refused("store_unavailable", RETRY_WHEN_UNAVAILABLE_SECONDS)
      : refused("queue_overflow", RETRY_WHEN_FULL_SECONDS)
  }
}

/** Separate functions: closures of one scope would keep the encoded batch in memory for both. */
function fromMemory(encoded: EncodedBatch): () => EncodedBatch {
  return () => encoded
}

function fromJournal(journal: Pick<Journal, "load">, place: Place): () => Promise<EncodedBatch> {
  return () => journal.load(place)
}

function withRecordedErrors(offered: Partial<RecordBatch>): RecordBatch {
  const batch = recordBatch(offered)
  const recorded = errorsOfSpans(batch.spans)
  return recorded.length === 0 ? batch : { ...batch, errors: [...batch.errors, ...recorded] }
}

function refused(reason: DropReason, retryAfterSeconds: number | undefined): IngestResult {
  return { outcome: "refused", reason, retryAfterSeconds }
}
