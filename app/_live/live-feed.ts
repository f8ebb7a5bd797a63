import { reconnectBackoff } from "#otel/inspector/live/reconnect.ts"
import type { TraceSummaryJson } from "#otel/inspector/queries/list/trace-summary.ts"
import type { WatchState } from "#otel/inspector/queries/saved-filters/watch-state.ts"

/**
 * The tab's one connection to `GET /live`, shared by all components. It is open only while a component listens and the tab is
 * visible: over HTTP/1.1 browsers allow six connections to an origin, for all tabs together. Missed events are not replayed;
 * `resumed` asks listeners to query again.
 */

export type LiveState = "connecting" | "live" | "offline"

export interface LiveListener {
  /** What a batch added to each trace. With a `selection`, only traces that it selects; `others` holds the rest. */
  traces?(deltas: readonly TraceSummaryJson[], others: readonly TraceSummaryJson[]): void
  /** Errors arrived, with or without a trace. */
  errors?(): void
  /** Envelope items arrived that are neither errors nor traces. */
  items?(): void
  /** Logs arrived, with or without a trace. The store has them after a moment. */
  logs?(): void
  /** Drops were counted, and the store has them. */
  drops?(): void
  /** The server or the page skipped traces, to stay responsive. */
  skipped?(): void
  /** The connection is open again after an interruption. */
  resumed?(): void
  /** Parameters `q` and `own` of the connection, as text. At most one listener sets them at a time. */
  readonly selection?: string
}

export interface LiveStatus {
  readonly state: LiveState
  /** Traces that the server or the page skipped since the page was opened, to stay responsive. */
  readonly skipped: number
  /** The last known states of all watches. */
  readonly watches: readonly WatchState[]
}

/** Batches within this time are dispatched together, because each dispatch renders a list. */
const BATCH_MS = 100
/** Deltas that wait for dispatch at most. More count as skipped; the next query of the page has them. */
const BATCH_LIMIT = 2_000

class LiveFeed {
  readonly #listeners = new Set<LiveListener>()
  readonly #watchers = new Set<() => void>()
  #status: LiveStatus = { state: "connecting", skipped: 0, watches: [] }
  #source: EventSource | undefined
  #retry: ReturnType<typeof setTimeout> | undefined
  readonly #backoff = reconnectBackoff()
  #wasLive = false
  #waiting: TraceSummaryJson[] = []
  #others: TraceSummaryJson[] = []
  /** Selection of the open connection. */
  #selection = ""
  #dispatch: ReturnType<typeof setTimeout> | undefined

  listen(listener: LiveListener): () => void {
    this.#listeners.add(listener)
    if (this.#listeners.size === 1) this.#start()
    else this.#reconnect()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.#stop()
      else this.#reconnect()
    }
  }

  /** Subscribes for `useSyncExternalStore`: every change creates a new status object. */
  readonly watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  readonly status = (): LiveStatus => this.#status

  #start(): void {
    document.addEventListener("visibilitychange", this.#followVisibility)
    this.#followVisibility()
  }

  #stop(): void {
    document.removeEventListener("visibilitychange", this.#followVisibility)
    this.#disconnect()
  }

  readonly #followVisibility = (): void => {
    if (document.visibilityState === "hidden") this.#disconnect()
    else this.#open()
  }

  #open(): void {
    if (this.#source !== undefined) return
    this.#selection = this.#wantedSelection()
    const parameters = new URLSearchParams([["watches", "also"], ...new URLSearchParams(this.#selection)])
    const source = new EventSource(`/live?${parameters}`)
    this.#source = source
    source.addEventListener("open", this.#opened)
    source.addEventListener("error", this.#failed)
    source.addEventListener("traces", ({ data }) => this.#received(String(data), this.#waiting))
    source.addEventListener("others", ({ data }) => this.#received(String(data), this.#others))
    source.addEventListener("errors", () => this.#listeners.forEach((listener) => listener.errors?.()))
    source.addEventListener("items", () => this.#listeners.forEach((listener) => listener.items?.()))
    source.addEventListener("logs", () => this.#listeners.forEach((listener) => listener.logs?.()))
    source.addEventListener("drops", () => this.#listeners.forEach((listener) => listener.drops?.()))
    source.addEventListener("skipped", ({ data }) => this.#receivedSkipped(String(data)))
    source.addEventListener("watches", ({ data }) => this.receiveWatches(String(data)))
  }

  /** Also while the tab is hidden, from the connection that it has then. */
  receiveWatches(data: string): void {
    const states = parsed(data)
    if (Array.isArray(states)) this.#update({ watches: states as WatchState[] })
  }

  #wantedSelection(): string {
    return [...this.#listeners].find(({ selection }) => selection !== undefined)?.selection ?? ""
  }

  /** A new selection needs a new connection. Waits a microtask, because listeners unsubscribe and subscribe in turn. */
  #reconnect(): void {
    queueMicrotask(() => {
      if (this.#source === undefined || this.#selection === this.#wantedSelection()) return
      this.#close()
      this.#open()
    })
  }

  #close(): void {
    clearTimeout(this.#retry)
    clearTimeout(this.#dispatch)
    this.#dispatch = undefined
    this.#waiting = []
    this.#others = []
    this.#source?.close()
    this.#source = undefined
  }

  /** Closes the connection until further notice. Without one, nothing shows that the inspector still runs. */
  #disconnect(): void {
    this.#close()
    this.#update({ state: "connecting" })
  }

  readonly #opened = (): void => {
    this.#backoff.succeeded()
    this.#update({ state: "live" })
    if (this.#wasLive) for (const listener of this.#listeners) listener.resumed?.()
    this.#wasLive = true
  }

  /** The browser reconnects after a broken connection, but not after an answer that is not an event stream. */
  readonly #failed = (): void => {
    this.#update({ state: this.#wasLive ? "offline" : "connecting" })
    if (this.#source?.readyState !== EventSource.CLOSED) return
    this.#close()
    this.#update({ state: "offline" })
    this.#retry = setTimeout(() => this.#open(), this.#backoff.failed())
  }

  #received(data: string, waiting: TraceSummaryJson[]): void {
    const deltas = parsed(data)
    if (!Array.isArray(deltas)) return
    const room = BATCH_LIMIT - waiting.length
    waiting.push(...(deltas as TraceSummaryJson[]).slice(0, room))
    if (waiting === this.#waiting && deltas.length > room) this.#skip(deltas.length - room)
    if (this.#dispatch === undefined) this.#flush()
  }

  /** Dispatches the first batch of a burst at once, and the others together. */
  readonly #flush = (): void => {
    const [deltas, others] = [this.#waiting, this.#others]
    const isEmpty = deltas.length === 0 && others.length === 0
    this.#dispatch = isEmpty ? undefined : setTimeout(this.#flush, BATCH_MS)
    if (isEmpty) return
    this.#waiting = []
    this.#others = []
    for (const listener of this.#listeners) listener.traces?.(deltas, others)
  }

  #receivedSkipped(data: string): void {
    const message = parsed(data)
    const skipped =
      typeof message === "object" && message !== null && "skipped" in message ? message.skipped : undefined
    if (typeof skipped === "number" && skipped > 0) this.#skip(skipped)
  }

  #skip(traces: number): void {
    this.#update({ skipped: this.#status.skipped + traces })
    for (const listener of this.#listeners) listener.skipped?.()
  }

  #update(change: Partial<LiveStatus>): void {
    this.#status = { ...this.#status, ...change }
    for (const watcher of this.#watchers) watcher()
  }
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    // A proxy may truncate the stream. The next query of the page has the missing records.
    return undefined
  }
}

export const liveFeed = new LiveFeed()
