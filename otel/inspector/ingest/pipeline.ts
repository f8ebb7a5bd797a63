import { randomUUID } from "node:crypto"
import {
  HELD_BYTES_LIMIT,
  HELD_SPAN_LIMIT,
  INGEST_SPAN_LIMIT,
  STORE_BATCH_MS,
  STORE_BATCH_SPANS,
  WAITING_SPAN_LIMIT,
} from "../../protocol/limits.ts"
import type { LiveFeed } from "../live/live-feed.ts"
import { Batcher, type RecordSink } from "./batcher.ts"
import type { DropLedger } from "./drop-ledger.ts"
import type { StoreState } from "./http/health.ts"
import { Ingestor, RecordQueue } from "./ingestor.ts"
import type { Replay } from "./journal/directory.ts"
import { Journal } from "./journal/journal.ts"

/**
 * The way of an OTLP POST, and where each stage is. Other protocols join at `ingest`.
 *
 * 1. Socket and handler: `cli/server/listen.ts`, `router.ts`, `request-listener.ts`; `receiver.ts` has the handlers.
 * 2. Guard (method, host, origin, token): `http/guards.ts`.
 * 3. Read and inflate the body, within limits: `protocol/transport/read-body.ts`.
 * 4. Check the bytes of a protobuf request (`protocol/otlp/plain-request.ts`), or decode it into records
 *    (`protocol/otlp/decode-traces.ts`): `otlp/otlp-handlers.ts` calls both.
 * 5. Ingest: `ingestor.ts` reserves room in the queue, or refuses with the time of a retry.
 * 6. Journal: `journal/journal.ts` writes the bytes as they came, or the encoded records (`protocol/codec/`), to disk.
 * 7. Acknowledge: the handler answers. From here on, a crash of the process drops nothing.
 * 8. Queue and batch: `batcher.ts` collects what waits until a batch is due, and retries while the store is down.
 * 9. Store: `store/store.ts` inserts the batch; the journal then deletes its files.
 *
 * A record that leaves this way early is counted by `drop-ledger.ts`.
 */
export interface PipelineOptions {
  readonly sink: RecordSink
  readonly storeState: () => StoreState
  /** One process at a time may open it. Created when it is missing. */
  readonly journalDirectory: string
  /** Default 512 MiB. */
  readonly journalBytes?: number | undefined
  /** Called once the journal is open, before it takes records. This process alone has the data directory then. Default: does nothing. */
  readonly onOpen?: (() => void) | undefined
  /** Whether an acknowledgement waits until the disk has the bytes, not only the operating system. Default false. */
  readonly journalSync?: boolean | undefined
  /** Records that may wait for the store. They wait in the journal. Default 1,000,000. */
  readonly waitingSpanLimit?: number | undefined
  /** Waiting records that are held in memory as well. Default 40,000. */
  readonly heldSpanLimit?: number | undefined
  /** Default 20,000. */
  readonly batchSpans?: number | undefined
  /** Default 500 ms. */
  readonly batchMs?: number | undefined
}

export interface PipelineContext {
  readonly liveFeed: LiveFeed
  readonly drops: DropLedger
  /** Milliseconds, for durations: a steady clock. */
  readonly clock: () => number
  readonly random: () => number
}

/** Ingestor, journal, queue and batcher: from decoded records to the store. */
export interface Pipeline {
  readonly ingestor: Ingestor
  readonly queue: RecordQueue
  readonly journal: Journal
  /** `down` also while the store answers queries and takes no records, as when it is out of memory. */
  storeState(): StoreState
  /** Why the store takes no records, though it is ready; `undefined` while it takes them. */
  insertProblem(): string | undefined
  /** Flushes to the store for at most `limitMs` milliseconds. The rest stays in the journal. */
  drain(limitMs: number): Promise<void>
}

export function createPipeline(options: PipelineOptions, context: PipelineContext): Pipeline {
  const { sink } = options
  const { liveFeed, drops, clock, random } = context
  const waitingLimit = options.waitingSpanLimit ?? WAITING_SPAN_LIMIT
  const spanLimit = Math.min(INGEST_SPAN_LIMIT, waitingLimit)
  const queue = new RecordQueue(waitingLimit, options.heldSpanLimit ?? HELD_SPAN_LIMIT, HELD_BYTES_LIMIT)
  const journal = new Journal({
    directory: options.journalDirectory,
    maxBytes: options.journalBytes,
    sync: options.journalSync,
    onReplay(found) {
      options.onOpen?.()
      enqueueBacklog(found, queue, drops, clock())
      batcher.wake()
    },
  })
  const batcher = new Batcher({
    queue,
    journal,
    sink,
    drops,
    isStoreReady: () => options.storeState() === "ready",
    batchSpans: options.batchSpans ?? STORE_BATCH_SPANS,
    batchMs: options.batchMs ?? STORE_BATCH_MS,
    clock,
    random,
    newBatchId: randomUUID,
    onStored: (sequence) => liveFeed.stored(sequence),
  })
  const insertProblem = () => (options.storeState() === "ready" ? batcher.problem : undefined)
  const storeState = () => (insertProblem() === undefined ? options.storeState() : "down")
  const isStoreDown = () => storeState() !== "ready"
  const onIngested = () => batcher.wake()
  const ingestor = new Ingestor({ journal, queue, spanLimit, liveFeed, clock, isStoreDown, onIngested })
  // Appends wait for it, and the health report shows a failure.
  void journal.open()
  return {
    ingestor,
    queue,
    journal,
    storeState,
    insertProblem,
    async drain(limitMs) {
      // Also stores the backlog of an earlier process when this one stops right after its start.
      await journal.open()
      await batcher.drain(limitMs)
    },
  }
}

function enqueueBacklog(
  { backlog, tornFiles, damagedPlaces, foreignFiles }: Replay,
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
    [tornFiles, "a batch that was not acknowledged when the process crashed"],
    [damagedPlaces, "a batch of the journal whose bytes changed on the disk"],
    [foreignFiles, "a journal file of an unknown format, renamed to .unreadable"],
  ] as const
  for (const [count, sample] of kinds)
    drops.record("queue", { reason: "malformed", category: "unknown", count, sample })
}
