"use client"

import { useEffect } from "react"
import type { InternalTelemetry } from "#app/_live/internal-telemetry.ts"
import { isForeign } from "#app/_live/is-foreign.ts"
import { useRefresh } from "#app/_live/use-refresh.ts"
import type { TraceSummaryJson } from "#otel/inspector/queries/list/trace-summary.ts"

/** The server caches counts over many traces; this long after the last event the cache has expired. */
const SETTLED_MS = 8_000
const INTERNAL_MS = 15_000
/** Windows like "the last 15 minutes" move on, also while nothing arrives. */
const IDLE_MS = 60_000

/**
 * The address whose screen has refreshed since it was opened. A slow query replaces the screen for a while, which is then mounted
 * again: that is no reason for another refresh, which may be as slow.
 */
let refreshedAddress: string | undefined

interface LiveRefresh {
  /** Refreshes soon, and once more when nothing has arrived for 8 s. */
  refresh(): void
  /** The same for traces that got spans, if they concern the page. */
  arrived(deltas: readonly TraceSummaryJson[]): void
}

/**
 * Refreshes the page for what arrives, at most once per `everyMs` milliseconds, and once a minute in any case. Each refresh makes
 * spans of Pagespan's own. A page that hides them therefore ignores traces with no others, and one that shows them refreshes at
 * most every 15 s for those: an idle page would otherwise keep refreshing itself.
 *
 * @param held the page must not change now.
 */
export function useLiveRefresh(own: InternalTelemetry, everyMs: number, held: boolean): LiveRefresh {
  const refreshSoon = useRefresh(everyMs, held)
  const refreshLater = useRefresh(SETTLED_MS, held, true)
  const refreshRarely = useRefresh(INTERNAL_MS, held)

  // What arrived after the page was queried, and before it listened.
  useEffect(() => {
    const address = location.href
    if (refreshedAddress !== address) {
      refreshedAddress = address
      refreshSoon()
      refreshLater()
    }
    return () => {
      if (location.href !== address) refreshedAddress = undefined
    }
  }, [refreshSoon, refreshLater])
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") refreshSoon()
    }, IDLE_MS)
    return () => clearInterval(timer)
  }, [refreshSoon])

  const refresh = () => {
    refreshSoon()
    refreshLater()
  }
  const arrived = (deltas: readonly TraceSummaryJson[]) => {
    if (deltas.some(({ services }) => isForeign(services, own.services))) refresh()
    else if (!own.isHidden) refreshRarely()
  }
  return { refresh, arrived }
}
