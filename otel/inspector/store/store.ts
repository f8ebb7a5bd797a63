import type { EncodedBatch } from "../../protocol/codec/encode-batch.ts"
import type { DropCategory, DropRecord } from "../../protocol/records/drop.ts"
import { fromMilliseconds } from "../../protocol/records/time.ts"
import type { Secret } from "../../protocol/secret.ts"
import { RETAINED_SPAN_LIMIT, type Run } from "../queries/list/run.ts"
import { serverBackend } from "./clickhouse-backend.ts"
import type { Dependencies } from "./start-backoff.ts"
import type { ClickHouse } from "./clickhouse.ts"
import { Lifecycle, type StoreState } from "./lifecycle.ts"
import { createReaders, type Readers } from "./readers.ts"
import { retentionClock } from "../clocks.ts"
import { RetainedTraces } from "./retained/retained-traces.ts"
import { removeRun, retainRun } from "./retained/runs.ts"
import { storableTime } from "./rows/stored-values.ts"
import { applySettings, migrate } from "./schema/migrations.ts"
import { clearRecords } from "./schema/size-limit.ts"
import { Supervisor } from "./supervisor.ts"
import { startUpkeep } from "./upkeep.ts"
import { insertDrops } from "./writer/insert-records.ts"
import { Writer } from "./writer/writer.ts"

/**
 * Spans, errors, logs, envelope items and drops, in the embedded ClickHouse or on a ClickHouse server. Methods reject
 * with `StoreUnavailable` while ClickHouse is unavailable. If only writing fails (a full disk), the state is `down` too,
 * but queries still work.
 */
export interface Store extends Readers {
  /** The same queries for one caller: an abort cancels them in ClickHouse, and they reject with `QueryCancelled`. */
  withSignal(signal: AbortSignal): Readers
  readonly state: StoreState
  /** Why the store is not ready, in one line; `undefined` while it is ready. */
  readonly problem: string | undefined
  /** Calls the listener at each change of state. Returns a function that removes it. */
  onStateChange(listener: (state: StoreState) => void): () => void
  /** Resolves once ready. Rejects when closed, or if the store can never be ready: no engine, an unusable directory, newer data. */
  ready(): Promise<void>
  /**
   * Inserts all records; those past the retention become drop records. Inserting the same batches again under the same
   * `batchId` stores them once; errors and logs are stored once by their ids, whatever the batch.
   *
   * @param without categories to leave out. Default: none.
   * @param outOfMemory how often ClickHouse was out of memory for these batches, see `insertInHalves`. Default: never.
   * @throws {RecordsRefused} when ClickHouse is up and rejects the records of one category.
   */
  insertRecords(
    batches: readonly EncodedBatch[],
    batchId: string,
    without?: ReadonlySet<DropCategory>,
    outOfMemory?: number,
  ): Promise<void>
  /** Resolves when the drops are in the store. */
  insertDrops(drops: readonly DropRecord[], batchId: string): Promise<void>
  /** Retains the run, replacing one of the same name. The store copies its traces, now and as they arrive, to tables without an age. */
  retainRun(run: Run): Promise<void>
  /** Deletes the run and its copies. Its traces expire like all others from then on. */
  removeRun(run: Run): Promise<void>
  /** Deletes all records. Returns `false`, and deletes nothing, on a ClickHouse server. */
  clear(): Promise<boolean>
  /**
   * Waits for running statements and stops the store process. Never rejects; a second call does nothing.
   *
   * @param limitMs milliseconds after which statements are cancelled, and the process is killed. Default: 10,000.
   */
  close(limitMs?: number): Promise<void>
}

export type StoreLocation =
  /** Embedded: a process of its own, with its files in this directory. */
  | { readonly dataDirectory: string; readonly processFile?: string; readonly hangMs?: number }
  /** A ClickHouse server or cluster. The URL may contain user, password and database. */
  | { readonly url: Secret }

export interface StoreSettings {
  /** Age in milliseconds at which records expire. */
  readonly retentionMs: number
  /** Bytes on disk past which the embedded store deletes the oldest day. Default: 20 GiB, about 150 million spans. */
  readonly maxBytes?: number
  /** Spans that the copies of all retained runs may hold. Default: 2,000,000. */
  readonly maxRetainedSpans?: number
  /** Module of the thread that writes. Default: the source, below the working directory. */
  readonly writerFile?: string | undefined
  /** Clock and randomness. Default: the machine's. */
  readonly dependencies?: Dependencies
}

const DEFAULT_MAX_BYTES = 20 * 2 ** 30
const DEFAULT_DEPENDENCIES: Dependencies = { now: () => Date.now(), random: () => Math.random() }
const NO_CATEGORIES: ReadonlySet<DropCategory> = new Set()

/** Returns at once, with the store starting. */
export function openStore(location: StoreLocation, settings: StoreSettings): Store {
  const { retentionMs, maxBytes = DEFAULT_MAX_BYTES, dependencies = DEFAULT_DEPENDENCIES } = settings
  const backend = "url" in location ? serverBackend(location.url) : new Supervisor(location, dependencies)
  const retained = new RetainedTraces(settings.maxRetainedSpans ?? RETAINED_SPAN_LIMIT)
  const lifecycle = new Lifecycle(backend, (clickhouse) => prepare(clickhouse, retentionMs, retained), dependencies)
  const writer = new Writer(settings.writerFile)
  const clock = retentionClock(dependencies.now, dependencies.elapsed)
  const upkeep = startUpkeep(lifecycle, { retentionMs, maxBytes, retained }, clock)
  const oldest = () => storableTime(fromMilliseconds(clock() - retentionMs))
  const retentionOf = sameForBatch(() => ({ oldest: oldest(), now: fromMilliseconds(dependencies.now()) }))
  const { cell } = lifecycle
  const readers = (signal?: AbortSignal) =>
    createReaders((query) => lifecycle.read((clickhouse) => query(clickhouse, oldest()), signal), retained)
  return {
    ...readers(),
    withSignal: readers,
    get state() {
      return cell.state
    },
    get problem() {
      return cell.problem
    },
    onStateChange: (listener) => cell.onChange(listener),
    ready: () => lifecycle.ready(),
    insertRecords: (batches, batchId, without = NO_CATEGORIES, outOfMemory = 0) =>
      lifecycle.write(({ endpoint }) =>
        writer.write(endpoint, { batches, batchId, without, outOfMemory, retention: retentionOf(batchId) }),
      ),
    insertDrops: (drops, batchId) => lifecycle.write((clickhouse) => insertDrops(clickhouse, drops, batchId)),
    retainRun: async (run) => {
      await lifecycle.write((clickhouse) => retainRun(clickhouse, run, dependencies.now()))
      upkeep.run()
    },
    removeRun: async (run) => {
      await lifecycle.write(async (clickhouse) => {
        await removeRun(clickhouse, run, dependencies.now())
        await retained.refresh(clickhouse)
      })
      upkeep.run()
    },
    clear: async () => {
      let isCleared = false
      await lifecycle.write(async (clickhouse) => void (isCleared = await clearRecords(clickhouse)))
      return isCleared
    },
    close: async (limitMs) => {
      upkeep.stop()
      await lifecycle.close(limitMs)
      await writer.close()
    },
  }
}

/** Makes a value once for all attempts of a batch: what is inserted again must be the same rows. */
function sameForBatch<Value>(make: () => Value): (batchId: string) => Value {
  let last: { readonly batchId: string; readonly value: Value } | undefined
  return (batchId) => {
    if (last?.batchId !== batchId) last = { batchId, value: make() }
    return last.value
  }
}

/**
 * In the embedded store the upkeep deletes expired rows, after it has copied those of retained runs. The engine would
 * delete them the moment it opens, so its own age is longer; it still applies to tables that an upkeep does not know.
 */
const ENGINE_GRACE_SECONDS = 30 * 86_400

async function prepare(clickhouse: ClickHouse, retentionMs: number, retained: RetainedTraces): Promise<void> {
  const { embedded } = clickhouse.endpoint
  const age = Math.max(1, Math.ceil(retentionMs / 1_000))
  const context = { retentionSeconds: embedded ? age + ENGINE_GRACE_SECONDS : age, embedded }
  const ours = await migrate(clickhouse, context)
  await Promise.all([applySettings(clickhouse, ours, context), retained.refresh(clickhouse)])
}
