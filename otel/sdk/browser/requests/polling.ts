/** A fixed interval that recurs this often is polling. Three retries at a fixed delay, the default of axios-retry and TanStack Query, are not. */
const POLLING_INTERVALS = 4
/** Requests that start this close to each other or to the end of the one before, in milliseconds, were not started by a timer: the RAIL model counts 100 ms as immediate. */
const CHAIN_MS = 100
/** A chain is long polling once the server has held this many requests in a row for this long: a query that is slow twice is rare. */
const LONG_POLLING_INTERVALS = 2
const LONG_POLLING_MS = 5_000
/** Two intervals are equal when they differ by this share of the shorter one at most: a busy page runs its timers late. */
const TOLERANCE = 0.2
/** They also differ by this many milliseconds at most. The delay of a timer does not grow with its interval; what a visitor repeats by hand varies more. */
const TOLERANCE_MS = 250
/** Remembered URLs. Past this the least recently requested is forgotten. */
const ADDRESS_LIMIT = 256

/**
 * Recognises polling of one URL. Requests poll once they recur at a steady interval, from start to start (`setInterval`) or
 * from end to start (a timer set after each response). Requests that follow immediately after another one, or start together,
 * do not: that is how a page loads its content. Neither do retries with backoff.
 */
export class Rhythm {
  #startedAt = -Infinity
  #endedAt = -Infinity
  #interval = 0
  #pause = 0
  #isChained = false
  /** Equal intervals in succession. */
  #repeats = 0
  /** Responses whose body is not known to have ended. */
  #bodies = 0

  /** Records that a request starts at `at`, in milliseconds, and returns whether it is polling. */
  started(at: number): boolean {
    const interval = at - this.#startedAt
    // Several widgets may poll at the same moment.
    if (interval >= CHAIN_MS) this.#tick(at, interval, this.#bodies > 0 ? 0 : at - this.#endedAt)
    return this.#repeats >= (this.#isChained ? LONG_POLLING_INTERVALS : POLLING_INTERVALS)
  }

  /** The head of a response has arrived. */
  answered(): void {
    this.#bodies++
  }

  /** @param hadHead whether `answered` was called for the same request. */
  ended(at: number, hadHead: boolean): void {
    if (hadHead) this.#bodies--
    this.#endedAt = Math.max(this.#endedAt, at)
  }

  #tick(at: number, interval: number, pause: number): void {
    const isChained = pause < CHAIN_MS
    const isTimed = interval < Infinity && (!isChained || interval >= LONG_POLLING_MS)
    const isEqual = isChained || areEqual(interval, this.#interval) || areEqual(pause, this.#pause)
    const repeats = isEqual && isChained === this.#isChained ? this.#repeats + 1 : 1
    this.#repeats = isTimed ? repeats : 0
    this.#isChained = isChained
    this.#startedAt = at
    this.#interval = interval
    this.#pause = pause
  }
}

/** The rhythms of a page's requests by URL. They outlive roots: a poller does not start over with each of them. */
export class Rhythms {
  readonly #known = new Map<string, Rhythm>()

  of(address: string): Rhythm {
    const rhythm = this.#known.get(address) ?? new Rhythm()
    this.#known.delete(address)
    this.#known.set(address, rhythm)
    const [quietest] = this.#known.keys()
    if (this.#known.size > ADDRESS_LIMIT && quietest !== undefined) this.#known.delete(quietest)
    return rhythm
  }
}

function areEqual(a: number, b: number): boolean {
  return Math.abs(a - b) <= Math.min(TOLERANCE_MS, TOLERANCE * Math.min(a, b))
}
