import type { EncodedBatch } from "../../protocol/codec/encode-batch.ts"
import type { DropCategory } from "../../protocol/records/drop.ts"
import { backoffMs, STORE_BACKOFF } from "../../protocol/transport/backoff.ts"
import { RecordsRefused, StoreUnavailable } from "../store/failure.ts"
import type { DropLedger, DropSink } from "./drop-ledger.ts"
import type { Journal } from "./journal/journal.ts"
import type { QueuedBatch, RecordQueue } from "./record-queue.ts"

/** A sleep that can be ended early. */
export class Signal {
  #end: (() => void) | undefined

  wake(): void {
    this.#end?.()
  }

  async sleep(milliseconds: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      this.#end = resolve
      timer = setTimeout(resolve, milliseconds)
    })
    clearTimeout(timer)
    this.#end = undefined
  }
}

/**
 * Where admitted records go: the store. Rejects with `StoreUnavailable` when it cannot take them now, and is then asked
 * again with the same batch under the same id; a batch may also come again after a crash, grouped differently, so that
 * spans are kept once by trace and span id, errors, logs and items by their own ids.
 */
export interface RecordSink extends DropSink {
  /**
   * Spans first: an error, log or item that can be found leads to its trace. Rejects with `RecordsRefused` when it does
   * not take those of one category, after which it is asked again, at last `without` that category.
   */
  insertRecords(batches: readonly EncodedBatch[], batchId: string, without?: ReadonlySet<DropCategory>): Promise<void>
}

/** Records that the store refuses, though it is there, are offered this often before they are given up. */
const ATTEMPTS_WHEN_REFUSED = 3

export interface BatcherOptions {
  readonly queue: RecordQueue
  readonly journal: Pick<Journal, "markStored">
  readonly sink: Omit<RecordSink, "insertDrops">
  readonly drops: Pick<DropLedger, "record">
  readonly batchSpans: number
  readonly batchMs: number
  readonly clock: () => number
  readonly random: () => number
  readonly newBatchId: () => string
}

/**
 * Takes admitted records to the store in batches: when one is large enough, or its oldest record old enough. One batch is on
 * its way at a time, so that what is stored is always a beginning of the journal. A store that is away gets the same
 * batch under the same id again, after growing waits; the queue grows meanwhile, up to its bound.
 */
export class Batcher {
  readonly #due = new Signal()
  readonly #retry = new Signal()
  #isDraining = false
  #isStopped = false
  #running: Promise<void> | undefined

  constructor(private readonly options: BatcherOptions) {}

  /** To be called when there is something new in the queue. */
  wake(): void {
    this.#start()
    const { queue, batchSpans } = this.options
    if (queue.depth >= batchSpans) this.#due.wake()
  }

  /** Takes everything to the store without waiting for full batches, for at most this long. */
  async drain(limitMs: number): Promise<void> {
    this.#isDraining = true
    this.#due.wake()
    this.#start()
    let timer: NodeJS.Timeout | undefined
    const limit = new Promise<"over">((resolve) => {
      timer = setTimeout(resolve, limitMs, "over")
    })
    let outcome: "over" | undefined | void
    do outcome = await Promise.race([this.#running, limit])
    while (this.#running !== undefined && outcome !== "over")
    clearTimeout(timer)
    this.#isStopped = true
    this.#retry.wake()
  }

  #start(): void {
    if (this.#isStopped || this.options.queue.depth === 0) return
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
      // What was admitted after the last look at the queue and before this.
      this.#start()
    })
  }

  async #run(): Promise<void> {
    const { queue, batchSpans } = this.options
    while (queue.depth > 0 && !this.#isStopped) {
      await this.#untilDue()
      const batches = queue.front(batchSpans)
      if (!(await this.#insert(await this.#load(batches), countOf(batches)))) break
      queue.remove(batches)
      await this.options.journal.markStored(batches.at(-1)?.sequence ?? 0)
    }
  }

  async #untilDue(): Promise<void> {
    const { queue, batchSpans, batchMs, clock } = this.options
    while (!this.#isDraining && queue.depth < batchSpans) {
      const remainingMs = (queue.oldestSince ?? clock()) + batchMs - clock()
      if (remainingMs <= 0) return
      await this.#due.sleep(remainingMs)
    }
  }

  async #load(batches: readonly QueuedBatch[]): Promise<EncodedBatch[]> {
    const loaded: EncodedBatch[] = []
    for (const queued of batches) {
      try {
        loaded.push(await queued.load())
      } catch {
        // Only a journal file that has gone or gone bad since it was read at start can do this.
        this.#lose("malformed", "unknown", queued.recordCount, "a batch of the journal could not be read again")
      }
    }
    return loaded
  }

  /** Whether the batch is done with: each record stored, or given up and counted. `false` when stopped first. */
  async #insert(batches: readonly EncodedBatch[], count: number): Promise<boolean> {
    const { sink, newBatchId } = this.options
    const id = newBatchId()
    const givenUp = new Set<DropCategory>()
    let refusals = 0
    for (let failures = 1; !this.#isStopped; failures += 1) {
      try {
        await sink.insertRecords(batches, id, givenUp)
        return true
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) refusals += 1
        if (refusals >= ATTEMPTS_WHEN_REFUSED) {
          const refused = error instanceof RecordsRefused ? error : { category: "unknown" as const, count }
          this.#lose("invalid", refused.category, refused.count, "the store did not take a batch")
          if (refused.category === "unknown") return true
          givenUp.add(refused.category)
          refusals = 0
          continue
        }
      }
      if (!this.#isStopped) await this.#retry.sleep(backoffMs(STORE_BACKOFF, failures, this.options.random))
    }
    return false
  }

  #lose(reason: "malformed" | "invalid", category: DropCategory, count: number, sample: string): void {
    this.options.drops.record("store", { reason, category, count, sample })
  }
}

function countOf(batches: readonly QueuedBatch[]): number {
  return batches.reduce((sum, { recordCount }) => sum + recordCount, 0)
}
