import { KEEPALIVE_BUDGET_BYTES, KEEPALIVE_REQUEST_LIMIT } from "../../../protocol/limits.ts"
import { PAGE_DROPS_HEADER } from "../../page-drops.ts"
import type { PageDrops } from "./page-drops.ts"

const BEYOND_ASCII = /[^\0-\x7f]/

type Fetch = typeof globalThis.fetch

/** What a request needs to know of its page. */
interface PageState {
  /** Whether the page is hidden or gone: a request may have to outlive it. */
  isLeaving(): boolean
  /**
   * Whether the page is gone, and not for want of a network. Chromium then rejects requests that it goes on to deliver:
   * a rejection says nothing, and is answered as if the request had been accepted.
   */
  hasLeft(): boolean
}

/**
 * A `fetch` for telemetry, whose callers read the status and the headers of an answer and never its body. It uses
 * `keepalive` only in a page that may go, as far as the budget allows: the browser's limit is shared with the app's own
 * requests. A `keepalive` request that is rejected in a page that is still there is sent once more without.
 */
export function budgetedFetch(native: Fetch, budget: KeepaliveBudget, { isLeaving, hasLeft }: PageState): Fetch {
  return async (input, init) => {
    const send = async (keepalive: boolean) => {
      const response = await native(input, { ...init, keepalive })
      // Chromium frees a request's share of its 64 KiB only when the body of the answer has been read or cancelled.
      await response.body?.cancel().catch(() => undefined)
      return response
    }
    const giveBack = isLeaving() ? budget.take(byteLength(init?.body)) : undefined
    if (giveBack === undefined) return send(false)
    try {
      return await send(true)
    } catch {
      if (hasLeft()) return new Response(null, { status: 202 })
    } finally {
      giveBack()
    }
    return send(false)
  }
}

/** In bytes as they are sent: a string's length counts a character of three bytes as one. */
export function byteLength(body: BodyInit | null | undefined): number {
  if (body === null || body === undefined) return 0
  if (typeof body === "string") return BEYOND_ASCII.test(body) ? new TextEncoder().encode(body).length : body.length
  if (body instanceof Blob) return body.size
  return ArrayBuffer.isView(body) || body instanceof ArrayBuffer ? body.byteLength : Infinity
}

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

/**
 * A `fetch` by which every request to the tunnel tells what the page has lost. The tunnel counts it where it answers
 * with success, and here it is told again where it does not. No other address is ever told.
 */
export function dropReportingFetch(next: Fetch, drops: PageDrops, tunnel: () => string | undefined): Fetch {
  return async (input, init) => {
    if (input !== tunnel()) return next(input, init)
    const { header, giveBack } = drops.take()
    try {
      const response = await next(input, { ...init, headers: { ...init?.headers, [PAGE_DROPS_HEADER]: header } })
      if (!response.ok) giveBack()
      return response
    } catch (error) {
      giveBack()
      throw error
    }
  }
}
