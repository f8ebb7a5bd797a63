import type { Secret } from "../../protocol/secret.ts"
import { Backoff, STORE_BACKOFF } from "../../protocol/transport/backoff.ts"

/** Where a ClickHouse HTTP interface listens. The URL may hold credentials, so it is a secret. */
export interface Endpoint {
  readonly url: Secret
  /** Password of the user `default`, if the URL holds no credentials. */
  readonly password?: Secret
  /** Whether it is the embedded engine, which only Pagespan uses. */
  readonly embedded: boolean
}

export interface BackendListener {
  /** ClickHouse listens there until the next `down`. */
  up(endpoint: Endpoint): void
  /** ClickHouse is down; the backend tries again. The reason is one line for people. */
  down(reason: string): void
  /** ClickHouse can never run. The backend stops trying. */
  impossible(reason: string): void
}

/** Provides ClickHouse to the store: a process of ours (`Supervisor`), or a server. */
export interface ClickHouseBackend {
  start(listener: BackendListener): void
  stop(): Promise<void>
}

/** A ClickHouse server or cluster that others operate: there is nothing to start or stop. */
export function serverBackend(url: Secret): ClickHouseBackend {
  return {
    start: (listener) => listener.up({ url, embedded: false }),
    stop: () => Promise.resolve(),
  }
}

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
