import { PAGE_DROPS_HEADER } from "../../page-drops.ts"
import type { PageDrops } from "./page-drops.ts"

type Fetch = typeof globalThis.fetch

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
