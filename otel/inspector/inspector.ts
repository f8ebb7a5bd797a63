import { join, resolve } from "node:path"
import { headersOf } from "../protocol/transport/request.ts"
import {
  flushLocalServer,
  type LocalInspector,
  setInspectorProcess,
  setLocalInspector,
} from "../sdk/server/local-inspector.ts"
import type { Config } from "./config.ts"
import { openForwarding } from "./forward/forwarding.ts"
import type { HealthReport } from "./ingest/http/health.ts"
import { createReceiver, type Receiver } from "./ingest/receiver.ts"
import { WatchMonitor } from "./live/watch-monitor.ts"
import { ActiveQueries } from "./queries/active-queries.ts"
import { QueryCache } from "./queries/query-cache.ts"
import { QueryService } from "./queries/query-service.ts"
import { RecentTraceViews } from "./queries/trace/trace-view.ts"
import { RunRegistry } from "./run-registry.ts"
import { SavedFilters } from "./saved-filters.ts"
import { SourceMaps } from "./source-maps/source-maps.ts"
import { UploadedMaps } from "./source-maps/uploaded-maps.ts"
import { openStore, type Store } from "./store/store.ts"

/** The receiver, the store and the queries of this process. */
export interface Inspector {
  readonly config: Config
  readonly receiver: Receiver
  readonly store: Store
  readonly runs: RunRegistry
  /** The filters that people have saved. */
  readonly savedFilters: SavedFilters
  /** The source maps that `pagespan sourcemaps` has uploaded. */
  readonly uploadedMaps: UploadedMaps
  /** Everything that the read API, MCP and the screens query. */
  readonly queries: QueryService
  /** The running queries of screens, which `DELETE /api/queries/{id}` cancels. */
  readonly activeQueries: ActiveQueries
  /** `service.name`s of Pagespan's own spans: those of its server and of its pages. */
  readonly internalServices: readonly string[]
  health(): HealthReport
  /** Whether requests with this `Host` are served. A request that is not served is counted as dropped. */
  serves(host: string | null): boolean
  /** Stops ingesting, flushes queued records to the store, and stops the store process. Never rejects. */
  close(): Promise<void>
}

/** Paths of the modules that run in a process or thread of their own. */
export interface Programs {
  readonly storeProcess: string
  readonly storeWriter: string
  readonly sourceMapWorker: string
}

/**
 * How long records and store have to stop; what is not stored by then is in the journal. Relay has the same default
 * (`shutdown_timeout`).
 */
const STOP_MS = 10_000

/** `service.name` of Pagespan's own server unless `OTEL_SERVICE_NAME` is set. */
const OWN_SERVICE = "pagespan"

/**
 * Returns at once, while the store starts. Records that arrive meanwhile wait in the journal.
 *
 * @param programs default: the sources below the working directory.
 */
export function createInspector(config: Config, programs: Partial<Programs> = {}): Inspector {
  const dataDirectory = resolve(config.PAGESPAN_DATA)
  const store = storeOf(config, dataDirectory, programs)
  const runs = new RunRegistry(store)
  const internalServices = internalServicesOf(config)
  const forwarding = openForwarding(config, (reason, category, count) =>
    receiver.drops.record("forward", { reason, category, count, sample: "ingested records" }),
  )
  const receiver: Receiver = createReceiver({
    sink: store,
    storeState: () => store.state,
    journalDirectory: join(dataDirectory, "journal"),
    journalBytes: config.PAGESPAN_JOURNAL.maxBytes,
    journalSync: config.PAGESPAN_JOURNAL.sync,
    hosts: config.PAGESPAN_ALLOWED_HOSTS,
    origins: config.PAGESPAN_ALLOWED_ORIGINS,
    token: config.PAGESPAN_TOKEN,
    runs: runs.lookup,
    internalServices,
    sourceRoot: config.PAGESPAN_SOURCE_ROOT,
    editor: config.PAGESPAN_EDITOR,
    ...(forwarding && { onOpen: forwarding.open, onStored: forwarding.offer, onClose: forwarding.close }),
  })
  recordOwnProcess(config, receiver)
  const uploadedMaps = new UploadedMaps(join(dataDirectory, "source-maps"))
  const sourceMaps = new SourceMaps(
    { uploaded: uploadedMaps.directory, sourceRoot: config.PAGESPAN_SOURCE_ROOT },
    { workerFile: programs.sourceMapWorker },
  )
  const queries = new QueryService({
    reader: (signal) => (signal === undefined ? store : store.withSignal(signal)),
    runs,
    cache: new QueryCache(),
    recentViews: new RecentTraceViews(),
    sourceMaps,
  })
  const savedFilters = new SavedFilters(join(dataDirectory, "saved-filters.json"))
  const { liveFeed: feed } = receiver
  const watches = new WatchMonitor({ feed, filters: savedFilters, queries, internalServices, runs: runs.lookup })
  return {
    config,
    receiver,
    store,
    runs,
    savedFilters,
    uploadedMaps,
    queries,
    activeQueries: new ActiveQueries(),
    internalServices,
    health: () => receiver.report(),
    serves: (host) => receiver.guardHost({ headers: headersOf({ host: host ?? undefined }) }) === undefined,
    close: closeOf({ watches, receiver, sourceMaps, store }),
  }
}

interface Closing {
  readonly watches: WatchMonitor
  readonly receiver: Receiver
  readonly sourceMaps: SourceMaps
  readonly store: Store
}

function closeOf({ watches, receiver, sourceMaps, store }: Closing): Inspector["close"] {
  return async () => {
    const deadline = performance.now() + STOP_MS
    watches.close()
    await flushLocalServer()
    await receiver.close()
    await sourceMaps.close()
    await store.close(Math.max(0, deadline - performance.now()))
  }
}

function storeOf(config: Config, dataDirectory: string, { storeProcess, storeWriter }: Partial<Programs>): Store {
  const location =
    config.CLICKHOUSE_URL === undefined
      ? { dataDirectory: join(dataDirectory, "store"), ...(storeProcess && { processFile: storeProcess }) }
      : { url: config.CLICKHOUSE_URL }
  const { ageMs, maxBytes } = config.PAGESPAN_RETENTION
  return openStore(location, { retentionMs: ageMs, maxBytes, writerFile: storeWriter })
}

/** `service.name`s of Pagespan's own server and pages. */
function internalServicesOf({ OTEL_SERVICE_NAME: server = OWN_SERVICE }: Config): readonly string[] {
  return [server, `${server}-browser`]
}

/** Has this process's own server and pages send to the inspector, unless that is configured off. */
function recordOwnProcess({ PAGESPAN_SELF: isRecorded }: Config, receiver: Receiver): void {
  setInspectorProcess()
  if (isRecorded) setLocalInspector(localInspectorOf(receiver))
}

/** Ingests the spans of this process's own server and pages. Never rejects: refused spans are counted as dropped. */
function localInspectorOf(receiver: Receiver): LocalInspector {
  return {
    async spans(records) {
      const result = await receiver.ingest({ spans: records })
      const refused = { category: "span", count: records.length, sample: "own spans" } as const
      const drops = result.outcome === "refused" ? [{ ...refused, reason: result.reason }] : result.drops
      for (const drop of drops) receiver.drops.record("server", drop)
    },
    drop({ stage, reason, category, count, sample }) {
      const drop = { reason, category, count, sample }
      // The tunnel passes on what pages report. Everything else this process has measured.
      if (stage === "page") receiver.drops.report(stage, drop)
      else receiver.drops.record(stage, drop)
    },
    refusal: (request) => receiver.guardPage(request),
  }
}
