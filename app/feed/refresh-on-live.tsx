"use client"

import type { ReactNode } from "react"
import { useLive } from "#app/feed/use-live.ts"
import { useReading } from "#app/feed/use-reading.ts"
import { useRefresh } from "#app/feed/use-refresh.ts"

const EVERY_MS = 2_000

/** Reads the page again while traces arrive, but never under the pointer or the keyboard of a reader. */
export function RefreshOnLive({ children, className }: { children: ReactNode; className?: string | undefined }) {
  const { area, top, reading } = useReading()
  const refresh = useRefresh(EVERY_MS, reading)
  useLive({ traces: refresh, resumed: refresh })
  return (
    <div ref={area} className={className}>
      <div ref={top} />
      {children}
    </div>
  )
}
