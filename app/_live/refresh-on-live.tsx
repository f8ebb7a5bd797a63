"use client"

import type { ReactNode } from "react"
import type { InternalTelemetry } from "#app/_live/internal-telemetry.ts"
import { useLiveRefresh } from "#app/_live/use-live-refresh.ts"
import { useLive } from "#app/_live/use-live.ts"
import { useIsReading } from "./use-is-reading.ts"

const EVERY_MS = 2_000

interface RefreshOnLiveProps {
  readonly own: InternalTelemetry
  readonly children: ReactNode
  readonly className?: string | undefined
}

/** Refreshes the page while records arrive, and pauses while the user points at it, focuses it or scrolls. */
export function RefreshOnLive({ own, children, className }: RefreshOnLiveProps) {
  const { area, top, reading } = useIsReading()
  const { refresh, arrived } = useLiveRefresh(own, EVERY_MS, reading)
  useLive({
    traces: (deltas, others) => arrived([...deltas, ...others]),
    errors: refresh,
    items: refresh,
    drops: refresh,
    resumed: refresh,
  })
  return (
    <div ref={area} className={className}>
      <div ref={top} />
      {children}
    </div>
  )
}
