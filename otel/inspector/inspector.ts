import { join, resolve } from "node:path"
import type { Config } from "./config.ts"
import { SourceMaps } from "./source-maps/source-maps.ts"
import type { ErrorReader } from "../query/error-reader.ts"
import type { KeptItemReader } from "../query/kept-item-reader.ts"
import type { LossReader } from "../query/loss-reader.ts"
import type { RouteReader } from "../query/route-reader.ts"
import type { TraceReader } from "../query/trace-reader.ts"
import { createReceiver, type HealthReport, type Receiver } from "../receive/index.ts"
import { type LocalInspector, setLocalInspector } from "../server/local-inspector.ts"
import { openForwarding } from "./forwarding.ts"
import { Readings } from "./readings.ts"
import { Remembered } from "./remembered.ts"
import { RunBook } from "./run-book.ts"
import { openStore, type Store } from "../store/index.ts"

/** Receiver and store of this process, put together by configuration: what the doors and the screens stand on. */
export interface Inspector {
  readonly config: Config
  readonly receiver: Receiver
  readonly store: Store
  readonly traces: TraceReader
  readonly errors: ErrorReader
  readonly runs: RunBook
  /** What was asked lately about many traces. */
  readonly remembered: Remembered
  /** `service.name`s of Pagespan's own spans: its server's, and its pages'. */
  readonly ownServices: readonly string[]
  readonly routes: RouteReader
  readonly losses: LossReader
  /** Items of envelopes as they came. */
  readonly items: KeptItemReader
  /** What screens are asking the store just now. */
  readonly readings: Readings
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
  const runs = new RunBook(store)
  const ownService = config.OTEL_SERVICE_NAME ?? OWN_SERVICE
  const forwarding = openForwarding(config, (reason, category, count) =>
    receiver.losses.record("forward", { reason, category, count, sample: "what the doors took" }),
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
    onTaken: (taken) => forwarding.offer(taken),
  })
  if (config.PAGESPAN_SELF) setLocalInspector(localInspectorOf(receiver))
  const inspector: Inspector = {
    config,
    receiver,
    store,
    traces: store,
    errors: store,
    runs,
    remembered: new Remembered(),
    ownServices: [ownService, `${ownService}-browser`],
    routes: store,
    losses: store,
    items: store,
    readings: new Readings(),
    until(left) {
      const readers = store.until(left)
      return { ...inspector, traces: readers, errors: readers, routes: readers, losses: readers, items: readers }
    },
    sourceMaps:
      config.PAGESPAN_SOURCE_ROOT === undefined
        ? undefined
        : new SourceMaps(config.PAGESPAN_SOURCE_ROOT, { workerFile: programs.sourceMapWorker }),
    health: () => receiver.report(),
    serves: (host) => receiver.guardHost(requestBy(host)) === undefined,
    async close() {
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
      const admission = await receiver.admit({ spans: records })
      if (admission.outcome === "accepted") return
      const { reason } = admission
      receiver.losses.record("server", { reason, category: "span", count: records.length, sample: "own spans" })
    },
    loss: ({ stage, reason, category, count, sample }) =>
      receiver.losses.record(stage, { reason, category, count, sample }),
    refusal: (request) => receiver.guardHost(request),
  }
}
