import { randomUUID } from "node:crypto"
import {
  INGEST_SPAN_LIMIT,
  HELD_BYTES_LIMIT,
  HELD_SPAN_LIMIT,
  STORE_BATCH_MS,
  STORE_BATCH_SPANS,
  WAITING_SPAN_LIMIT,
} from "../../protocol/limits.ts"
import type { LiveFeed } from "../live/live-feed.ts"
import { Batcher, type RecordSink } from "./batcher.ts"
import type { DropLedger } from "./drop-ledger.ts"
import type { StoreState } from "./http/health.ts"
import { Ingestor } from "./ingestor.ts"
import { Journal } from "./journal/journal.ts"
import type { Replay } from "./journal/directory.ts"
import { RecordQueue } from "./record-queue.ts"

export interface PipelineOptions {
  readonly sink: RecordSink
  readonly storeState: () => StoreState
  /** Kept by one process at a time; made when it is missing. */
  readonly journalDirectory: string
  /** Default 512 MiB. */
  readonly journalBytes?: number | undefined
  /** Whether acknowledged means on the disk rather than with the operating system. Default false. */
  readonly journalSync?: boolean | undefined
  /** Records that may wait for the store, in the journal. Default 1,000,000. */
  readonly waitingSpanLimit?: number | undefined
  /** Those of them that are held in memory as well. Default 40,000. */
  readonly heldSpanLimit?: number | undefined
  /** Default 20,000. */
  readonly batchSpans?: number | undefined
  /** Default 500 ms. */
  readonly batchMs?: number | undefined
}

export interface PipelineContext {
  readonly liveFeed: LiveFeed
  readonly drops: DropLedger
  readonly clock: () => number
  readonly random: () => number
}

/** From an admitted record to the store: desk, journal, queue, batcher. */
export interface Pipeline {
  readonly ingestor: Ingestor
  readonly queue: RecordQueue
  readonly journal: Journal
  /** Brings what it has to the store for at most this long; the rest stays in the journal. */
  drain(limitMs: number): Promise<void>
}

export function createPipeline(options: PipelineOptions, context: PipelineContext): Pipeline {
  const { sink, storeState } = options
  const { liveFeed, drops, clock, random } = context
  const waitingLimit = options.waitingSpanLimit ?? WAITING_SPAN_LIMIT
  const spanLimit = Math.min(INGEST_SPAN_LIMIT, waitingLimit)
  const queue = new RecordQueue(waitingLimit, options.heldSpanLimit ?? HELD_SPAN_LIMIT, HELD_BYTES_LIMIT)
  const journal = new Journal({
    directory: options.journalDirectory,
    maxBytes: options.journalBytes,
    sync: options.journalSync,
    onReplay(found) {
      takeBacklog(found, queue, drops, clock())
      batcher.wake()
    },
  })
  const batcher = new Batcher({
    queue,
    journal,
    sink,
    drops,
    batchSpans: options.batchSpans ?? STORE_BATCH_SPANS,
    batchMs: options.batchMs ?? STORE_BATCH_MS,
    clock,
    random,
    newBatchId: randomUUID,
  })
  const isStoreDown = () => storeState() !== "ready"
  const onIngested = () => batcher.wake()
  const ingestor = new Ingestor({ journal, queue, spanLimit, liveFeed, clock, isStoreDown, onIngested })
  // Nobody has to wait for it: appends do, and a failure shows on the health page.
  void journal.open()
  return {
    ingestor,
    queue,
    journal,
    async drain(limitMs) {
      // A process that stops right after its start still takes along what the one before it left.
      await journal.open()
      await batcher.drain(limitMs)
    },
  }
}

function takeBacklog(
  { backlog, tornFiles, foreignFiles }: Replay,
  queue: RecordQueue,
  drops: DropLedger,
  since: number,
): void {
  for (const batch of backlog)
    queue.push({
      sequence: batch.sequence,
      recordCount: batch.recordCount,
      bytes: batch.bytes,
      isHeld: false,
      since,
      load: () => batch.load(),
    })
  const kinds = [
    [tornFiles, "a batch that was not acknowledged when the process died"],
    [foreignFiles, "a journal file of another format, put aside"],
  ] as const
  for (const [count, sample] of kinds)
    drops.record("queue", { reason: "malformed", category: "unknown", count, sample })
}
