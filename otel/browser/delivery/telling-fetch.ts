import { PAGE_LOSSES_HEADER } from "../../model/page-losses.ts"
import type { PageLosses } from "./page-losses.ts"

type Fetch = typeof globalThis.fetch

/**
 * A `fetch` by which every request to the tunnel tells what the page has lost. The tunnel counts it where it answers
 * with success, and here it is told again where it does not. No other address is ever told.
 */
export function tellingFetch(next: Fetch, losses: PageLosses, tunnel: () => string | undefined): Fetch {
  return async (input, init) => {
    if (input !== tunnel()) return next(input, init)
    const { header, giveBack } = losses.take()
    try {
      const response = await next(input, { ...init, headers: { ...init?.headers, [PAGE_LOSSES_HEADER]: header } })
      if (!response.ok) giveBack()
      return response
    } catch (error) {
      giveBack()
      throw error
    }
  }
}
