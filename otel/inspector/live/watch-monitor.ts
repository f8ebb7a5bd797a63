import type { QueryService } from "../queries/query-service.ts"
import type { SavedFilter, Watch } from "../queries/saved-filters/saved-filter.ts"
import { measureWatch, nextState, type WatchSettings, type WatchState } from "../queries/saved-filters/watch-state.ts"
import type { SavedFilters } from "../saved-filters.ts"
import type { LiveFeed } from "./live-feed.ts"

/** Time between two rounds. A round runs its queries one after the other, so watches never take more than one at a time. */
const INTERVAL_MS = 10_000

export interface WatchMonitorOptions extends WatchSettings {
  readonly feed: LiveFeed
  readonly filters: SavedFilters
  readonly queries: QueryService
  /** Default 10 s. */
  readonly intervalMs?: number | undefined
}

/** Measures the watched filters while a screen is open, once for all screens, and publishes their states on the live feed. */
export class WatchMonitor {
  readonly #options: WatchMonitorOptions
  #states: readonly WatchState[] = []
  #timer: NodeJS.Timeout | undefined
  #isRunning = false
  /** Whether to measure again as soon as the running round has ended. */
  #isOwed = false
  #isClosed = false

  constructor(options: WatchMonitorOptions) {
    this.#options = options
    options.feed.onWatched = () => {
      if (this.#timer === undefined && !this.#isRunning) void this.#run()
    }
    options.filters.onChange(() => {
      if (options.feed.isWatched) void this.#run()
    })
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  async #run(): Promise<void> {
    if (this.#isRunning) {
      this.#isOwed = true
      return
    }
    this.#isRunning = true
    clearTimeout(this.#timer)
    this.#timer = undefined
    do {
      this.#isOwed = false
      await this.#round()
    } while (this.#isOwed && !this.#isClosed)
    this.#isRunning = false
    if (!this.#isClosed) this.#schedule()
  }

  #schedule(): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      if (this.#options.feed.isWatched) return void this.#run()
      // Nobody measures any more, so the states get out of date.
      this.#states = []
      this.#options.feed.publishWatches(undefined)
    }, this.#options.intervalMs ?? INTERVAL_MS)
    this.#timer.unref()
  }

  /** Publishes only a difference. */
  async #round(): Promise<void> {
    const { feed, filters } = this.#options
    const states: WatchState[] = []
    // An unreadable file has no watches; the list of filters says why.
    for (const filter of await filters.list().catch(() => []))
      if (isWatched(filter) && !this.#isClosed) states.push(await this.#measure(filter))
    const isSame = JSON.stringify(states) === JSON.stringify(this.#states)
    this.#states = states
    if (!isSame) feed.publishWatches(states)
  }

  async #measure(filter: SavedFilter & { readonly watch: Watch }): Promise<WatchState> {
    const nowMs = Date.now()
    const value = await measureWatch(this.#options.queries, filter, nowMs, this.#options).catch(() => "failed" as const)
    const before = this.#states.find(({ id }) => id === filter.id)
    return nextState(filter, value, before, nowMs)
  }
}

function isWatched(filter: SavedFilter): filter is SavedFilter & { readonly watch: Watch } {
  return filter.watch !== undefined
}
