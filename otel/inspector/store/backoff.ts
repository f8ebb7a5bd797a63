import { backoffMs, STORE_BACKOFF } from "../../protocol/transport/backoff.ts"

/** After this time up, the next failure counts as the first again. */
const SETTLED_MS = 60_000

/** Clock and randomness of the store. Tests pass their own. */
export interface Dependencies {
  /** Milliseconds since the epoch. */
  now(): number
  /** Milliseconds of a clock that nobody sets. Default: the time since the machine started. */
  elapsed?(): number
  /** From 0 to 1. */
  random(): number
}

export const DEFAULT_DEPENDENCIES: Dependencies = { now: () => Date.now(), random: () => Math.random() }

/** Waits between attempts: 250 ms doubling to 10 s, each reduced by up to a half at random so that clients spread out. */
export class Backoff {
  readonly #dependencies: Dependencies
  #failures = 0
  #upSince: number | undefined

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  up(): void {
    this.#upSince = this.#dependencies.now()
  }

  /** Counts a failure. Returns the milliseconds to wait before the next attempt. */
  next(): number {
    if (this.#upSince !== undefined && this.#dependencies.now() - this.#upSince >= SETTLED_MS) this.#failures = 0
    this.#upSince = undefined
    return backoffMs(STORE_BACKOFF, ++this.#failures, () => 1 - this.#dependencies.random())
  }
}
