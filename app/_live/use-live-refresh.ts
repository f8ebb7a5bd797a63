"use client"

import { useCallback, useEffect } from "react"
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
 * The address whose screen has refreshed since it was opened. A screen can be replaced for a while, such as by what is wrong with
 * the store, and React mounts it again afterwards. A refresh on each mount would run a slow query again and again.
 */
let refreshedAddress: string | undefined

interface LiveRefresh {
  /** Refreshes soon, and once more when nothing has arrived for 8 s. */
  refresh(): void
  /** Refreshes for traces that got spans, unless the page hides all of them. */
  arrived(deltas: readonly TraceSummaryJson[]): void
}

/**
 * Refreshes the page when traces arrive, at most once per `everyMs` milliseconds, and once a minute in any case. Pagespan traces
 * each refresh, so an idle page would keep refreshing itself. Traces of internal telemetry alone therefore refresh only a page that
 * shows them, and at most every 15 s.
 *
 * @param held the page must not change now.
 */
export function useLiveRefresh(own: InternalTelemetry, everyMs: number, held: boolean): LiveRefresh {
  const refreshSoon = useRefresh(everyMs, held)
  const refreshLater = useRefresh(SETTLED_MS, held, true)
  const refreshRarely = useRefresh(INTERNAL_MS, held)

  const refresh = useCallback(() => {
    refreshSoon()
    refreshLater()
  }, [refreshSoon, refreshLater])

  // For what arrived after the page was queried and before it listened.
  useEffect(() => {
    const address = location.href
    if (refreshedAddress !== address) refresh()
    refreshedAddress = address
    return () => {
      if (location.href !== address) refreshedAddress = undefined
    }
  }, [refresh])
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") refreshSoon()
    }, IDLE_MS)
    return () => clearInterval(timer)
  }, [refreshSoon])

  const arrived = (deltas: readonly TraceSummaryJson[]) => {
    if (deltas.some(({ services }) => isForeign(services, own.services))) refresh()
    else if (!own.isHidden) refreshRarely()
  }
  return { refresh, arrived }
}
