import type { EncodedBatch } from "../../protocol/codec/encode-batch.ts"
import type { DropCategory, DropRecord } from "../../protocol/records/drop.ts"
import { fromMilliseconds } from "../../protocol/records/time.ts"
import type { Secret } from "../../protocol/secret.ts"
import { RETAINED_SPAN_LIMIT, type Run } from "../queries/list/run.ts"
import { type Dependencies, DEFAULT_DEPENDENCIES } from "./backoff.ts"
import { serverHost } from "./clickhouse-backend.ts"
import type { ClickHouse } from "./clickhouse.ts"
import { Lifecycle } from "./lifecycle.ts"
import { createReaders, type Readers } from "./readers.ts"
import { RetainedTraces } from "./retained/retained-traces.ts"
import { storableTime } from "./rows/timestamp.ts"
import { retainRun, removeRun } from "./runs.ts"
import { migrate } from "./schema/migrate.ts"
import { applyRetention } from "./schema/retention.ts"
import type { StoreState } from "./state.ts"
import { Supervisor } from "./supervisor.ts"
import { startUpkeep } from "./upkeep.ts"
import { clearRecords } from "./write/clear.ts"
import { insertDrops } from "./write/insert-drops.ts"
import { Writer } from "./writer/writer.ts"

/**
 * Spans, errors, logs, envelope items and drops, in the embedded ClickHouse or in a ClickHouse server. Methods reject with
 * `StoreUnavailable` while it is away; while only writing fails (a full disk) the state is `down` as well, and what can
 * be read still is.
 */
export interface Store extends Readers {
  /** The same questions for an asker who may leave: what is then still asked ends in the engine, and rejects with `QueryCancelled`. */
  until(left: AbortSignal): Readers
  readonly state: StoreState
  /** Why the store is not ready, in one line; `undefined` while it is. */
  readonly problem: string | undefined
  /** Calls the listener at each change of state until the returned function is called. */
  onStateChange(listener: (state: StoreState) => void): () => void
  /** Resolves once ready; rejects when closed, or when the store can never be: no engine, an unusable directory, newer data. */
  ready(): Promise<void>
  /**
   * Resolves when all records are in the store; those past the retention become drop records. The same batches inserted
   * again under the same `batchId` are stored once, errors and logs by their ids whatever the batch.
   *
   * @param without categories that are left out.
   * @throws {RecordsRefused} when those of one category are not taken, though the store is there.
   */
  insertRecords(batches: readonly EncodedBatch[], batchId: string, without?: ReadonlySet<DropCategory>): Promise<void>
  /** Resolves when the drops are in the store. */
  insertDrops(drops: readonly DropRecord[], batchId: string): Promise<void>
  /** Keeps the run, in place of one of the same name. Its traces are copied, soon and as they come, to where no age takes them. */
  retainRun(run: Run): Promise<void>
  /** Forgets the name; the run's traces go with the age of all others from then on. */
  removeRun(run: Run): Promise<void>
  /** Deletes all that is kept; `false`, and nothing is, where that is a ClickHouse server's to decide. */
  clear(): Promise<boolean>
  /** Finishes what runs and stops the store process. Never rejects; a second call does nothing. */
  close(): Promise<void>
}

export type StoreLocation =
  /** Embedded: a process of its own, with its files in this directory. */
  | { readonly dataDirectory: string; readonly processFile?: string; readonly hangMs?: number }
  /** A ClickHouse server or cluster; the URL may name user, password and database. */
  | { readonly url: Secret }

export interface StoreSettings {
  /** Age in milliseconds at which records go. */
  readonly retentionMs: number
  /** Bytes on disk past which the oldest day goes, of the embedded store. Default: 20 GiB, some 150 million spans. */
  readonly maxBytes?: number
  /** Spans that kept runs hold together, beyond age and size. Default: 2,000,000. */
  readonly maxKeptSpans?: number
  /** Module of the thread that writes. Default: the source, below the working directory. */
  readonly writerFile?: string | undefined
  /** Clock and randomness. Default: the machine's. */
  readonly surroundings?: Dependencies
}

const DEFAULT_MAX_BYTES = 20 * 2 ** 30
const NOTHING_LESS: ReadonlySet<DropCategory> = new Set()

/** Returns at once, with the store starting. */
export function openStore(location: StoreLocation, settings: StoreSettings): Store {
  const surroundings = settings.surroundings ?? DEFAULT_DEPENDENCIES
  const host = "url" in location ? serverHost(location.url) : new Supervisor(location, surroundings)
  const retained = new RetainedTraces(settings.maxKeptSpans ?? RETAINED_SPAN_LIMIT)
  const lifecycle = new Lifecycle(
    host,
    (clickhouse) => prepare(clickhouse, settings.retentionMs, retained),
    surroundings,
  )
  const { retentionMs, maxBytes = DEFAULT_MAX_BYTES } = settings
  const writer = new Writer(settings.writerFile)
  const upkeep = startUpkeep(lifecycle, { retentionMs, maxBytes, retained }, surroundings)
  const oldest = () => storableTime(fromMilliseconds(surroundings.now() - retentionMs))
  const retention = () => ({ oldest: oldest(), now: fromMilliseconds(surroundings.now()) })
  const { cell } = lifecycle
  const readers = (left?: AbortSignal) =>
    createReaders((query) => lifecycle.read((clickhouse) => query(clickhouse, oldest()), left), retained)
  return {
    ...readers(),
    until: readers,
    get state() {
      return cell.state
    },
    get problem() {
      return cell.problem
    },
    onStateChange: (listener) => cell.onChange(listener),
    ready: () => lifecycle.ready(),
    insertRecords: (batches, batchId, without = NOTHING_LESS) =>
      lifecycle.write(({ endpoint }) => writer.write(endpoint, { batches, batchId, without, retention: retention() })),
    insertDrops: (drops, batchId) => lifecycle.write((clickhouse) => insertDrops(clickhouse, drops, batchId)),
    retainRun: async (run) => {
      await lifecycle.write((clickhouse) => retainRun(clickhouse, run, surroundings.now()))
      upkeep.run()
    },
    removeRun: async (run) => {
      await lifecycle.write(async (clickhouse) => {
        await removeRun(clickhouse, run, surroundings.now())
        await retained.look(clickhouse)
      })
      upkeep.run()
    },
    clear: async () => {
      let isOurs = false
      await lifecycle.write(async (clickhouse) => void (isOurs = await clearRecords(clickhouse)))
      return isOurs
    },
    close: async () => {
      upkeep.stop()
      await lifecycle.close()
      await writer.close()
    },
  }
}

/**
 * Of the embedded store the upkeep takes what is past its age, after it has saved what kept runs have of it. The engine,
 * which would do so the moment it opens, takes what is left of tables that no upkeep knows.
 */
const ENGINE_GRACE_SECONDS = 30 * 86_400

async function prepare(clickhouse: ClickHouse, retentionMs: number, retained: RetainedTraces): Promise<void> {
  const { embedded } = clickhouse.endpoint
  const age = Math.max(1, Math.ceil(retentionMs / 1_000))
  const context = { retentionSeconds: embedded ? age + ENGINE_GRACE_SECONDS : age, embedded }
  const ours = await migrate(clickhouse, context)
  await applyRetention(clickhouse, ours, context)
  await retained.look(clickhouse)
}
