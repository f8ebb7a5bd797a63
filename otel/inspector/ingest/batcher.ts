import type { EncodedBatch } from "../../protocol/codec/encode-batch.ts"
import type { DropCategory } from "../../protocol/records/drop.ts"
import { Backoff, STORE_BACKOFF } from "../../protocol/transport/backoff.ts"
import { Signal } from "../signal.ts"
import { isOutOfMemory, RecordsRefused, StoreUnavailable } from "../store/failure.ts"
import type { DropLedger, DropSink } from "./drop-ledger.ts"
import type { QueuedBatch, RecordQueue } from "./ingestor.ts"
import type { Journal } from "./journal/journal.ts"

/**
 * Where the batcher inserts: the store. The batcher retries a failed insert with the same batch under the same id. After
 * a crash, records may arrive again in other batches, so the sink stores spans once by trace and span id, and errors,
 * logs and items once by their own ids.
 */
export interface RecordSink extends DropSink {
  /**
   * Inserts spans first, so that an error, log or item that is visible has its trace.
   *
   * @param without categories to leave out, because the store refused them before.
   * @param outOfMemory how often the store was out of memory for these batches. It then inserts fewer records at a time, and
   * at last leaves out and counts those that alone need too much.
   * @throws {StoreUnavailable} when the store cannot insert now.
   * @throws {RecordsRefused} when the store refuses the records of one category.
   */
  insertRecords(
    batches: readonly EncodedBatch[],
    batchId: string,
    without?: ReadonlySet<DropCategory>,
    outOfMemory?: number,
  ): Promise<void>
}

/** Attempts to insert records that a running store refuses, before they are dropped. */
const ATTEMPTS_WHEN_REFUSED = 3

/** Codes of a read that fails for the moment, because the process or the system has no more files or memory. */
const OUT_OF_RESOURCES: ReadonlySet<string> = new Set(["EAGAIN", "EMFILE", "ENFILE", "ENOMEM"])

/** Failures of a ready store in a row after which the reason is shown. One, when a query takes all memory, concerns nobody. */
const FAILURES_TO_SHOW = 3

export interface BatcherOptions {
  readonly queue: RecordQueue
  readonly journal: Pick<Journal, "markStored">
  readonly sink: Omit<RecordSink, "insertDrops">
  readonly drops: Pick<DropLedger, "record">
  /** Whether the store is connected and expected to take records. */
  readonly isStoreReady: () => boolean
  readonly batchSpans: number
  readonly batchMs: number
  readonly clock: () => number
  readonly random: () => number
  readonly newBatchId: () => string
  /** Called with the sequence of the last batch that the store has. */
  readonly onStored: (sequence: number) => void
}

/**
 * Inserts queued records in batches: when a batch is large enough, or its oldest record old enough. One insert runs at a
 * time, so that the stored records are always a prefix of the journal. While the store is down, the batcher retries the
 * same batch under the same id with growing waits, and the queue grows up to its limit.
 */
export class Batcher {
  readonly #due = new Signal()
  readonly #retry = new Signal()
  #isDraining = false
  #isStopped = false
  #running: Promise<void> | undefined
  #problem: string | undefined

  constructor(private readonly options: BatcherOptions) {}

  /** Why the store has not taken a batch for some attempts, in one line; `undefined` while it takes them. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** Call after each push to the queue. */
  wake(): void {
    this.#start()
    const { queue, batchSpans } = this.options
    if (queue.depth >= batchSpans) this.#due.wake()
  }

  /** Inserts everything without waiting for full batches, for at most `limitMs` milliseconds. */
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
      // A batch may have been queued since the loop ended.
      this.#start()
    })
  }

  async #run(): Promise<void> {
    const { queue, batchSpans } = this.options
    while (queue.depth > 0 && !this.#isStopped) {
      await this.#untilDue()
      const batches = queue.front(batchSpans)
      const loaded = await this.#load(batches)
      if (loaded === undefined || !(await this.#insert(loaded, countOf(batches)))) break
      queue.remove(batches)
      const stored = batches.at(-1)?.sequence ?? 0
      this.options.onStored(stored)
      await this.options.journal.markStored(stored)
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

  /** The batches that can be read. `undefined` when the batcher was stopped first. */
  async #load(batches: readonly QueuedBatch[]): Promise<EncodedBatch[] | undefined> {
    const loaded: EncodedBatch[] = []
    for (const queued of batches) {
      const batch = await this.#read(queued)
      if (this.#isStopped) return undefined
      if (batch !== undefined) loaded.push(batch)
    }
    return loaded
  }

  async #read(queued: QueuedBatch): Promise<EncodedBatch | undefined> {
    let backoff: Backoff | undefined
    while (!this.#isStopped) {
      try {
        return await queued.load()
      } catch (error) {
        if (!OUT_OF_RESOURCES.has((error as NodeJS.ErrnoException).code ?? "")) {
          // The journal file was deleted or damaged after the replay.
          this.#recordDrop("malformed", "unknown", queued.recordCount, "a batch of the journal could not be read")
          return undefined
        }
        backoff ??= new Backoff(STORE_BACKOFF, this.options.random)
        await this.#retry.sleep(backoff.failed())
      }
    }
    return undefined
  }

  /** Whether every record was stored, or dropped and counted. `false` when the batcher was stopped first. */
  async #insert(batches: readonly EncodedBatch[], count: number): Promise<boolean> {
    const { sink, newBatchId, isStoreReady } = this.options
    const id = newBatchId()
    const refusedCategories = new Set<DropCategory>()
    let backoff: Backoff | undefined
    let refusals = 0
    let failuresWhileReady = 0
    let outOfMemory = 0
    while (!this.#isStopped) {
      try {
        await sink.insertRecords(batches, id, refusedCategories, outOfMemory)
        this.#problem = undefined
        return true
      } catch (error) {
        backoff ??= new Backoff(STORE_BACKOFF, this.options.random)
        const waitMs = backoff.failed()
        failuresWhileReady = error instanceof StoreUnavailable && isStoreReady() ? failuresWhileReady + 1 : 0
        this.#problem = failuresWhileReady >= FAILURES_TO_SHOW ? reasonOf(error) : undefined
        if (isOutOfMemory(error)) outOfMemory += 1
        if (!(error instanceof StoreUnavailable)) refusals += 1
        if (refusals >= ATTEMPTS_WHEN_REFUSED) {
          const refused = error instanceof RecordsRefused ? error : { category: "unknown" as const, count }
          this.#recordDrop("invalid", refused.category, refused.count, "the store refused a batch")
          if (refused.category === "unknown") return true
          refusedCategories.add(refused.category)
          refusals = 0
          continue
        }
        if (!this.#isStopped) await this.#retry.sleep(waitMs)
      }
    }
    return false
  }

  #recordDrop(reason: "malformed" | "invalid", category: DropCategory, count: number, sample: string): void {
    this.options.drops.record("store", { reason, category, count, sample })
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function countOf(batches: readonly QueuedBatch[]): number {
  return batches.reduce((sum, { recordCount }) => sum + recordCount, 0)
}
