import type { KeepaliveBudget } from "./keepalive-budget.ts"

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
