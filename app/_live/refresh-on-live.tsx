"use client"

import type { ReactNode } from "react"
import { useLive } from "#app/_live/use-live.ts"
import { useIsReading } from "./use-is-reading.ts"
import { useRefresh } from "#app/_live/use-refresh.ts"

const EVERY_MS = 2_000
/** Counts over many traces are kept by the server for a while, which is over this long after the last that came. */
const SETTLED_MS = 8_000

/** Reads the page again while traces, errors and items arrive, but never under the pointer or the keyboard of a reader. */
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
