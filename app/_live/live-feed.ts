import type { TraceSummaryJson } from "#otel/inspector/queries/list/trace-summary.ts"

/**
 * The one connection of this tab to `GET /live`, shared by all that shows what arrives. It is open only while somebody
 * listens and the tab can be seen: browsers allow six connections to one origin over HTTP/1.1, for all tabs together.
 * What was missed meanwhile is not replayed; a listener is told by `resumed` to read again.
 */

export type LiveState = "connecting" | "live" | "offline"

export interface LiveListener {
  /** What a batch added to each of some traces; with a question, to those that pass it. */
  traces?(deltas: readonly TraceSummaryJson[], others: readonly TraceSummaryJson[]): void
  /** Errors came, with a trace or without. */
  errors?(): void
  /** Envelope items came that are neither errors nor traces. */
  items?(): void
  /** The connection was away and is back. */
  resumed?(): void
  /** A filter: only traces that pass it are told, and apart from them what happened to others. One listener at a time. */
  readonly question?: string
}

export interface LiveStatus {
  readonly state: LiveState
  /** Traces that the server did not send since the page was opened, to keep the page responsive. */
  readonly skipped: number
}

/** Batches that come quicker than this are handed on together: each one redraws a list. */
const TOGETHER_MS = 100
/** Deltas that wait to be handed on; a flood beyond counts as skipped, and comes with the next reading of the page. */
const TOGETHER_LIMIT = 2_000
const RETRY_FIRST_MS = 1_000
const RETRY_LAST_MS = 30_000

class LiveFeed {
  readonly #listeners = new Set<LiveListener>()
  readonly #watchers = new Set<() => void>()
  #status: LiveStatus = { state: "connecting", skipped: 0 }
  #source: EventSource | undefined
  #retry: ReturnType<typeof setTimeout> | undefined
  #retryMs = RETRY_FIRST_MS
  #wasLive = false
  #waiting: TraceSummaryJson[] = []
  #others: TraceSummaryJson[] = []
  /** What the open connection was asked. */
  #question = ""
  #handOn: ReturnType<typeof setTimeout> | undefined

  listen(listener: LiveListener): () => void {
    this.#listeners.add(listener)
    if (this.#listeners.size === 1) this.#start()
    else this.#askAnew()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.#stop()
      else this.#askAnew()
    }
  }

  /** For `useSyncExternalStore`: the status is a new object whenever it differs. */
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
    this.#close()
  }

  readonly #followVisibility = (): void => {
    if (document.visibilityState === "hidden") this.#close()
    else this.#open()
  }

  #open(): void {
    if (this.#source !== undefined) return
    this.#question = this.#wantedQuestion()
    const parameters = new URLSearchParams(this.#question === "" ? {} : { q: this.#question })
    const source = new EventSource(parameters.size === 0 ? "/live" : `/live?${parameters}`)
    this.#source = source
    source.addEventListener("open", this.#opened)
    source.addEventListener("error", this.#failed)
    source.addEventListener("traces", ({ data }) => this.#received(String(data), this.#waiting))
    source.addEventListener("others", ({ data }) => this.#received(String(data), this.#others))
    source.addEventListener("errors", () => this.#listeners.forEach((listener) => listener.errors?.()))
    source.addEventListener("items", () => this.#listeners.forEach((listener) => listener.items?.()))
    source.addEventListener("skipped", ({ data }) => this.#skipped(String(data)))
  }

  #wantedQuestion(): string {
    return [...this.#listeners].find(({ question }) => question !== undefined)?.question ?? ""
  }

  /** Another question is another connection. It waits a turn, because listeners change places one after the other. */
  #askAnew(): void {
    queueMicrotask(() => {
      if (this.#source === undefined || this.#question === this.#wantedQuestion()) return
      this.#close()
      this.#open()
    })
  }

  #close(): void {
    clearTimeout(this.#retry)
    clearTimeout(this.#handOn)
    this.#handOn = undefined
    this.#waiting = []
    this.#others = []
    this.#source?.close()
    this.#source = undefined
  }

  readonly #opened = (): void => {
    this.#retryMs = RETRY_FIRST_MS
    this.#update({ state: "live" })
    if (this.#wasLive) for (const listener of this.#listeners) listener.resumed?.()
    this.#wasLive = true
  }

  /** The browser reconnects by itself after a broken connection, but not after an answer that is no event stream. */
  readonly #failed = (): void => {
    this.#update({ state: this.#wasLive ? "offline" : "connecting" })
    if (this.#source?.readyState !== EventSource.CLOSED) return
    this.#close()
    this.#update({ state: "offline" })
    this.#retry = setTimeout(() => this.#open(), this.#retryMs)
    this.#retryMs = Math.min(this.#retryMs * 2, RETRY_LAST_MS)
  }

  #received(data: string, waiting: TraceSummaryJson[]): void {
    const deltas = parsed(data)
    if (!Array.isArray(deltas)) return
    const room = TOGETHER_LIMIT - waiting.length
    waiting.push(...(deltas as TraceSummaryJson[]).slice(0, room))
    if (waiting === this.#waiting && deltas.length > room)
      this.#update({ skipped: this.#status.skipped + deltas.length - room })
    if (this.#handOn === undefined) this.#flush()
  }

  /** The first of a burst goes at once, the others together. */
  readonly #flush = (): void => {
    const [deltas, others] = [this.#waiting, this.#others]
    const isEmpty = deltas.length === 0 && others.length === 0
    this.#handOn = isEmpty ? undefined : setTimeout(this.#flush, TOGETHER_MS)
    if (isEmpty) return
    this.#waiting = []
    this.#others = []
    for (const listener of this.#listeners) listener.traces?.(deltas, others)
  }

  #skipped(data: string): void {
    const said = parsed(data)
    const count = typeof said === "object" && said !== null && "count" in said ? said.count : said
    if (typeof count === "number" && count > 0) this.#update({ skipped: this.#status.skipped + count })
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
    // Only a proxy that cut the stream short can cause this; what was lost comes with the next reading of the page.
    return undefined
  }
}

export const liveFeed = new LiveFeed()
