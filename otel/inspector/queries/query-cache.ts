import { QueryCancelled } from "../store/failure.ts"

const MIN_AGE_MS = 3_000
/** A result is reused for this many times its duration, so that a query runs at most a tenth of the time. */
const AGE_PER_DURATION = 10
/** Screens refresh once more 8 s after the last arrival; by then every result has expired. */
const MAX_AGE_MS = 6_000
const ENTRY_LIMIT = 200

interface Entry {
  readonly result: Promise<unknown>
  /** Cancels the query; without effect once it has a result. */
  readonly controller: AbortController
  /** Callers that have not cancelled. */
  callers: number
  expiresAt: number
}

/**
 * Results of costly queries, reused for some seconds: a screen that refreshes while traces arrive repeats the same queries.
 * Failures are not reused. A query is aborted when every caller has cancelled.
 */
export class QueryCache {
  readonly #entries = new Map<string, Entry>()

  /** @param now milliseconds, by a clock that nobody sets. Default: `performance.now`. */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /**
   * @param query receives a signal that aborts when every caller has cancelled.
   * @param signal cancels this caller. Default: the caller never cancels.
   * @throws {QueryCancelled} when `signal` aborts.
   */
  async get<T>(key: string, query: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const known = this.#entries.get(key)
    const entry = known !== undefined && this.now() < known.expiresAt ? known : this.#start(key, query)
    return (await this.#waitFor(entry, signal)) as T
  }

  #start<T>(key: string, query: (signal: AbortSignal) => Promise<T>): Entry {
    const controller = new AbortController()
    const startedAt = this.now()
    const result = query(controller.signal)
    const entry: Entry = { result, controller, callers: 0, expiresAt: Number.POSITIVE_INFINITY }
    this.#add(key, entry)
    const remove = () => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key)
    }
    controller.signal.addEventListener("abort", remove, { once: true })
    const setExpiry = () => {
      const age = AGE_PER_DURATION * (this.now() - startedAt)
      entry.expiresAt = this.now() + Math.min(MAX_AGE_MS, Math.max(MIN_AGE_MS, age))
    }
    result.then(setExpiry, remove)
    return entry
  }

  async #waitFor(entry: Entry, signal: AbortSignal | undefined): Promise<unknown> {
    entry.callers += 1
    if (signal === undefined) return entry.result
    const settled = new AbortController()
    const cancelled = new Promise<never>((_, reject) => {
      const cancel = () => {
        entry.callers -= 1
        if (entry.callers === 0) entry.controller.abort()
        reject(new QueryCancelled("The caller cancelled the query."))
      }
      if (signal.aborted) cancel()
      else signal.addEventListener("abort", cancel, { once: true, signal: settled.signal })
    })
    try {
      return await Promise.race([entry.result, cancelled])
    } finally {
      settled.abort()
    }
  }

  #add(key: string, entry: Entry): void {
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    if (this.#entries.size <= ENTRY_LIMIT) return
    const [oldest] = this.#entries.keys()
    if (oldest !== undefined) this.#entries.delete(oldest)
  }
}
