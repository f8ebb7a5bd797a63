import { KEEPALIVE_BUDGET_BYTES, KEEPALIVE_REQUEST_LIMIT } from "../../../protocol/limits.ts"
import { PAGE_DROPS_HEADER } from "../../page-drops.ts"
import type { PageDrops } from "./page-drops.ts"

const BEYOND_ASCII = /[^\0-\x7f]/

type Fetch = typeof globalThis.fetch

/** The state of the page that a request depends on. */
interface PageState {
  /** Whether the page is hidden or left: a request may have to outlive it. */
  isLeaving(): boolean
  /**
   * Whether the page is left while the network works. Chromium then rejects requests that it still delivers: a rejection
   * says nothing, and the request counts as accepted.
   */
  hasLeft(): boolean
}

/**
 * A `fetch` for telemetry, whose callers read the status and the headers of a response and never its body. It uses
 * `keepalive` only in a page that may be leaving, and within the budget: the app's own requests share the browser's limit. A
 * `keepalive` request that fails while the page is still there is sent once more without.
 */
export function budgetedFetch(native: Fetch, budget: KeepaliveBudget, { isLeaving, hasLeft }: PageState): Fetch {
  return async (input, init) => {
    const send = async (keepalive: boolean) => {
      const response = await native(input, { ...init, keepalive })
      // Chromium frees a request's share of its 64 KiB only once the body of the response is read or cancelled.
      await response.body?.cancel().catch(() => undefined)
      return response
    }
    const release = isLeaving() ? budget.reserve(byteLength(init?.body)) : undefined
    if (release === undefined) return send(false)
    try {
      return await send(true)
    } catch {
      if (hasLeft()) return new Response(null, { status: 202 })
    } finally {
      release()
    }
    return send(false)
  }
}

/** Bytes as they are sent. The length of a string counts a character of three bytes as one. */
export function byteLength(body: BodyInit | null | undefined): number {
  if (typeof body === "string" && BEYOND_ASCII.test(body)) return new TextEncoder().encode(body).length
  // Pagespan sends strings and bytes.
  return (body as string | Uint8Array | null | undefined)?.length ?? 0
}

/**
 * The bytes and requests that this page may have in flight with `keepalive`, over all targets. A browser rejects a request
 * that exceeds its own limit, so one that does not fit here is sent without.
 *
 * @see https://fetch.spec.whatwg.org/#http-network-or-cache-fetch (step 8.11: 64 KiB)
 */
export class KeepaliveBudget {
  #bytes = 0
  #requests = 0

  /** Bytes that one more request may have. At the limit of requests it is negative, since one without a body has no room either. */
  get room(): number {
    return this.#requests < KEEPALIVE_REQUEST_LIMIT ? KEEPALIVE_BUDGET_BYTES - this.#bytes : -1
  }

  /** Reserves the bytes of a request, if they fit. Call the function that it returns once: it releases them. */
  reserve(bytes: number): (() => void) | undefined {
    if (bytes > this.room) return undefined
    this.#bytes += bytes
    this.#requests++
    return () => {
      this.#bytes -= bytes
      this.#requests--
    }
  }
}

/**
 * A `fetch` whose requests to the tunnel report the page's drops in a header. The tunnel counts them when it answers with
 * success; otherwise the next request reports them again. No other URL receives them.
 */
export function dropReportingFetch(next: Fetch, drops: PageDrops, tunnel: () => string | undefined): Fetch {
  return async (input, init) => {
    if (input !== tunnel()) return next(input, init)
    const { header, release } = drops.take()
    try {
      const response = await next(input, { ...init, headers: { ...init?.headers, [PAGE_DROPS_HEADER]: header } })
      if (!response.ok) release()
      return response
    } catch (error) {
      release()
      throw error
    }
  }
}
