import { KEEPALIVE_BUDGET_BYTES, KEEPALIVE_REQUEST_LIMIT } from "../../../protocol/limits.ts"

/**
 * What this page may have in flight with `keepalive`, over all of its requests to all targets. A browser refuses a
 * request that goes over its own limit, so one that does not fit here goes without.
 *
 * @see https://fetch.spec.whatwg.org/#http-network-or-cache-fetch (step 8.11: 64 KiB)
 */
export class KeepaliveBudget {
  #bytes = 0
  #requests = 0

  /** Bytes that one more request may have, 0 where there may be none. */
  get room(): number {
    return this.#requests < KEEPALIVE_REQUEST_LIMIT ? KEEPALIVE_BUDGET_BYTES - this.#bytes : 0
  }

  /** Takes the bytes of a request, if they fit. Each taking is given back once, by the function that it returns. */
  take(bytes: number): (() => void) | undefined {
    if (bytes > this.room || this.#requests >= KEEPALIVE_REQUEST_LIMIT) return undefined
    this.#bytes += bytes
    this.#requests++
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      this.#bytes -= bytes
      this.#requests--
    }
  }
}
