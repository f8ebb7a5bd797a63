import type { KeepaliveBudget } from "./keepalive-budget.ts"

const BEYOND_ASCII = /[^\0-\x7f]/

type Fetch = typeof globalThis.fetch

/**
 * A `fetch` whose requests outlive the page as far as the budget allows, whatever its caller asked for.
 *
 * @param hasLeft whether the page is gone, and not for want of a network: then Chromium rejects requests that it goes on to deliver, so that a
 * rejection says nothing and is answered as if the request had been accepted.
 */
export function budgetedFetch(native: Fetch, budget: KeepaliveBudget, hasLeft: () => boolean): Fetch {
  return async (input, init) => {
    const giveBack = budget.take(byteLength(init?.body))
    try {
      return await native(input, { ...init, keepalive: giveBack !== undefined })
    } catch (error) {
      if (giveBack !== undefined && hasLeft()) return new Response(null, { status: 202 })
      throw error
    } finally {
      giveBack?.()
    }
  }
}

/** In bytes as they are sent: a string's length counts a character of three bytes as one. */
export function byteLength(body: BodyInit | null | undefined): number {
  if (body === null || body === undefined) return 0
  if (typeof body === "string") return BEYOND_ASCII.test(body) ? new TextEncoder().encode(body).length : body.length
  if (body instanceof Blob) return body.size
  return ArrayBuffer.isView(body) || body instanceof ArrayBuffer ? body.byteLength : Infinity
}
