/** First wait, and the longest. */
const FIRST_MS = 250
const LONGEST_MS = 10_000
/** What has been up for this long starts again from the first wait. */
const SETTLED_MS = 60_000

/** What the store takes from its surroundings, so that a test can hand it another. */
export interface Dependencies {
  /** Milliseconds since the epoch. */
  now(): number
  /** From 0 to 1. */
  random(): number
}

export const DEFAULT_DEPENDENCIES: Dependencies = { now: () => Date.now(), random: () => Math.random() }

/**
 * Waits between attempts: 250 ms doubling to 10 s, each cut by up to a half at random so that many never try in step,
 * and back to the first one after a minute up.
 */
export class Backoff {
  readonly #surroundings: Dependencies
  #failures = 0
  #upSince: number | undefined

  constructor(surroundings: Dependencies) {
    this.#surroundings = surroundings
  }

  up(): void {
    this.#upSince = this.#surroundings.now()
  }

  /** Milliseconds to wait before the next attempt, after one more failure. */
  next(): number {
    if (this.#upSince !== undefined && this.#surroundings.now() - this.#upSince >= SETTLED_MS) this.#failures = 0
    this.#upSince = undefined
    const longest = Math.min(FIRST_MS * 2 ** this.#failures++, LONGEST_MS)
    return longest * (1 - this.#surroundings.random() / 2)
  }
}
