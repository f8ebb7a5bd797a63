"use client"

import type { ReactNode } from "react"
import { useLive } from "#app/_live/use-live.ts"
import { useRefresh } from "#app/_live/use-refresh.ts"
import { useIsReading } from "./use-is-reading.ts"

const EVERY_MS = 2_000
/** The server caches counts over many traces; this long after the last event the cache has expired. */
const SETTLED_MS = 8_000

/** Refreshes the page while records arrive, and pauses while the user points at it, focuses it or scrolls. */
export function RefreshOnLive({ children, className }: { children: ReactNode; className?: string | undefined }) {
  const { area, top, reading } = useIsReading()
  const refreshSoon = useRefresh(EVERY_MS, reading)
  const refreshLater = useRefresh(SETTLED_MS, reading, true)
  const refresh = () => {
    refreshSoon()
    refreshLater()
  }
  useLive({ traces: refresh, errors: refresh, items: refresh, resumed: refresh })
  return (
    <div ref={area} className={className}>
      <div ref={top} />
      {children}
    </div>
  )
}
