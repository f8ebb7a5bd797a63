import { join, resolve } from "node:path"
import { flushLocalServer, type LocalInspector, setLocalInspector } from "../sdk/server/local-inspector.ts"
import { ActiveQueries } from "./active-queries.ts"
import type { Config } from "./config.ts"
import { openForwarding } from "./forward/forwarding.ts"
import type { HealthReport } from "./ingest/http/health.ts"
import { createReceiver, type Receiver } from "./ingest/receiver.ts"
import type { DropReader } from "./queries/drops/drop-reader.ts"
import type { EnvelopeItemReader } from "./queries/errors/envelope-items.ts"
import type { ErrorReader } from "./queries/errors/error-reader.ts"
import type { TraceReader } from "./queries/list/trace-reader.ts"
import type { RouteReader } from "./queries/routes/route-reader.ts"
import { QueryCache } from "./query-cache.ts"
import { RunRegistry } from "./run-registry.ts"
import { SourceMaps } from "./source-maps/source-maps.ts"
import { openStore, type Store } from "./store/store.ts"

/** Receiver and store of this process, put together by configuration: what the handlers and the screens stand on. */
export interface Inspector {
  readonly config: Config
  readonly receiver: Receiver
  readonly store: Store
  readonly traces: TraceReader
  readonly errors: ErrorReader
  readonly runs: RunRegistry
  /** What was asked lately about many traces. */
  readonly queryCache: QueryCache
  /** `service.name`s of Pagespan's own spans: its server's, and its pages'. */
  readonly internalServices: readonly string[]
  readonly routes: RouteReader
  readonly drops: DropReader
  /** Items of envelopes as they came. */
  readonly items: EnvelopeItemReader
  /** What screens are asking the store just now. */
  readonly activeQueries: ActiveQueries
  /** The same for an asker who may leave: what the store is still asked then is ended there. */
  until(left: AbortSignal): Inspector
  /** Where minified frames come from; absent where no source root is configured. */
  readonly sourceMaps: SourceMaps | undefined
  health(): HealthReport
  /** Whether a request with this `Host` is served; one that is not is counted. */
  serves(host: string | null): boolean
  /** Takes nothing more, brings what it has to the store, and stops the store process. Never rejects. */
  close(): Promise<void>
}

/** Modules that run in a process or thread of their own. */
export interface Programs {
  readonly storeProcess: string
  readonly storeWriter: string
  readonly sourceMapWorker: string
}

/** The name of this package, which its server takes where `OTEL_SERVICE_NAME` says nothing else. */
const OWN_SERVICE = "pagespan"

/**
 * Returns at once: the store is starting, and what arrives meanwhile waits in the journal.
 *
 * @param programs that run beside it. Default: those in the sources below the working directory.
 */
export function createInspector(config: Config, programs: Partial<Programs> = {}): Inspector {
  const dataDirectory = resolve(config.PAGESPAN_DATA)
  const store = storeOf(config, dataDirectory, programs)
  const runs = new RunRegistry(store)
  const ownService = config.OTEL_SERVICE_NAME ?? OWN_SERVICE
  const forwarding = openForwarding(config, (reason, category, count) =>
    receiver.drops.record("forward", { reason, category, count, sample: "what the handlers took" }),
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
    sourceRoot: config.PAGESPAN_SOURCE_ROOT,
    editor: config.PAGESPAN_EDITOR,
    onStored: (taken) => forwarding.offer(taken),
  })
  if (config.PAGESPAN_SELF) setLocalInspector(localInspectorOf(receiver))
  const inspector: Inspector = {
    config,
    receiver,
    store,
    traces: store,
    errors: store,
    runs,
    queryCache: new QueryCache(),
    internalServices: [ownService, `${ownService}-browser`],
    routes: store,
    drops: store,
    items: store,
    activeQueries: new ActiveQueries(),
    until(left) {
      const readers = store.until(left)
      return { ...inspector, traces: readers, errors: readers, routes: readers, drops: readers, items: readers }
    },
    sourceMaps:
      config.PAGESPAN_SOURCE_ROOT === undefined
        ? undefined
        : new SourceMaps(config.PAGESPAN_SOURCE_ROOT, { workerFile: programs.sourceMapWorker }),
    health: () => receiver.report(),
    serves: (host) => receiver.guardHost(requestBy(host)) === undefined,
    async close() {
      await flushLocalServer()
      await Promise.all([receiver.close(), forwarding.close()])
      await inspector.sourceMaps?.close()
      await store.close()
    },
  }
  return inspector
}

function storeOf(config: Config, dataDirectory: string, { storeProcess, storeWriter }: Partial<Programs>): Store {
  const location =
    config.CLICKHOUSE_URL === undefined
      ? { dataDirectory: join(dataDirectory, "store"), ...(storeProcess && { processFile: storeProcess }) }
      : { url: config.CLICKHOUSE_URL }
  const { ageMs, maxBytes } = config.PAGESPAN_RETENTION
  return openStore(location, { retentionMs: ageMs, maxBytes, writerFile: storeWriter })
}

function requestBy(host: string | null): Request {
  return new Request("http://server.invalid/", { headers: host === null ? {} : { host } })
}

/** Spans of this process's own server and pages. They are never worth an error of their own: what is refused is counted. */
function localInspectorOf(receiver: Receiver): LocalInspector {
  return {
    async spans(records) {
      const result = await receiver.ingest({ spans: records })
      if (result.outcome === "accepted") return
      const { reason } = result
      receiver.drops.record("server", { reason, category: "span", count: records.length, sample: "own spans" })
    },
    drop: ({ stage, reason, category, count, sample }) =>
      receiver.drops.record(stage, { reason, category, count, sample }),
    refusal: (request) => receiver.guardHost(request),
  }
}
