import { Backoff, STORE_BACKOFF } from "../../protocol/transport/backoff.ts"

/** Clock and randomness of the store. Tests pass their own. */
export interface Dependencies {
  /** Milliseconds since the epoch. */
  now(): number
  /** Milliseconds of a clock that nobody sets. Default: the time since the machine started. */
  elapsed?(): number
  /** From 0 to 1. */
  random(): number
}

/** After this time up, the next failure counts as the first again. */
const SETTLED_MS = 60_000

/**
 * The backoff of a store that starts: 250 ms doubling to 10 s, each reduced by up to a half at random. A success resets it
 * once it has lasted: a process that ends soon after each start must not be started again and again without a wait.
 */
export class StartBackoff {
  readonly #now: () => number
  readonly #backoff: Backoff
  #upSince: number | undefined

  constructor({ now, random }: Dependencies) {
    this.#now = now
    this.#backoff = new Backoff(STORE_BACKOFF, () => 1 - random())
  }

  /** The store is up. */
  succeeded(): void {
    this.#upSince = this.#now()
  }

  /** Counts a failure. @returns milliseconds to wait before the next attempt. */
  failed(): number {
    if (this.#upSince !== undefined && this.#now() - this.#upSince >= SETTLED_MS) this.#backoff.succeeded()
    this.#upSince = undefined
    return this.#backoff.failed()
  }
}
