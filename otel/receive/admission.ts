import type { LossReason } from "../model/loss.ts"
import type { EncodedBatch } from "../model/encoded-batch/index.ts"
import { countRecords, type RecordBatch, recordBatch } from "../model/record-batch.ts"
import { errorsOfSpans } from "../wire/exception-attributes.ts"
import type { Journal, Place } from "./journal/index.ts"
import type { LiveFeed } from "./live-feed.ts"
import type { RecordQueue } from "./record-queue.ts"
import { TwiceToldErrors } from "./twice-told-errors.ts"

/** What became of records that were offered. Accepted ones are in the journal: they outlive this process. */
export type Admission =
  | { readonly outcome: "accepted" }
  | {
      readonly outcome: "refused"
      readonly reason: LossReason
      /** When to offer them again; `undefined` when that would never help. */
      readonly retryAfterSeconds: number | undefined
    }

/** Long enough for the store to take a batch or two. */
const RETRY_WHEN_FULL_SECONDS = 2
/** Long enough for a store to start, or for someone to free a disk. */
const RETRY_WHEN_UNAVAILABLE_SECONDS = 5

export interface AdmissionDeskOptions {
  readonly journal: Pick<Journal, "append" | "load">
  readonly queue: RecordQueue
  readonly spanLimit: number
  readonly liveFeed: Pick<LiveFeed, "publish">
  readonly clock: () => number
  readonly isStoreDown: () => boolean
  /** Called when something has been admitted. */
  readonly onAdmitted: () => void
}

/**
 * Takes all records of a batch or none. It refuses before memory or disk grow past their bounds, and says when to try
 * again; counting what is refused is up to the caller, who knows at which stage that was.
 */
export class AdmissionDesk {
  readonly #twiceTold = new TwiceToldErrors()
  #isClosed = false

  constructor(private readonly options: AdmissionDeskOptions) {}

  /** More records than this are never taken at once. */
  get spanLimit(): number {
    return this.options.spanLimit
  }

  close(): void {
    this.#isClosed = true
  }

  /** Exceptions that the spans recorded become errors here, whichever way the spans came, each once. */
  async admit(offered: Partial<RecordBatch>): Promise<Admission> {
    const batch = withRecordedErrors(offered)
    const errors = this.#twiceTold.first(batch.errors)
    const admission = await this.#admit({ ...batch, errors })
    if (admission.outcome === "refused") this.#twiceTold.forget(batch.errors)
    return admission
  }

  async #admit(batch: RecordBatch): Promise<Admission> {
    const { queue, journal, spanLimit, liveFeed, clock, onAdmitted } = this.options
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
    onAdmitted()
    return { outcome: "accepted" }
  }

  /** A full queue has another name while the store is away, since something else has to be done about it. */
  #full(): Admission {
    return this.options.isStoreDown()
      ? refused("store_unavailable", RETRY_WHEN_UNAVAILABLE_SECONDS)
      : refused("queue_overflow", RETRY_WHEN_FULL_SECONDS)
  }
}

/** Two functions apart from each other: closures of one scope would both keep all that either of them uses. */
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

function refused(reason: LossReason, retryAfterSeconds: number | undefined): Admission {
  return { outcome: "refused", reason, retryAfterSeconds }
}
