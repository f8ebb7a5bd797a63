"use client"

import { useEffect, useRef, useSyncExternalStore } from "react"
import { liveFeed, type LiveListener, type LiveStatus } from "#app/_live/live-feed.ts"

const ON_THE_SERVER: LiveStatus = { state: "connecting", skipped: 0, watches: [] }

export function useLiveStatus(): LiveStatus {
  return useSyncExternalStore(liveFeed.watch, liveFeed.status, () => ON_THE_SERVER)
}

/** Subscribes while the component is mounted. Callbacks may change with each render; a new `selection` reconnects. */
export function useLive(listener: LiveListener): void {
  const { selection } = listener
  const latest = useRef(listener)
  useEffect(() => {
    latest.current = listener
  })
  useEffect(
    () =>
      liveFeed.listen({
        traces: (deltas, others) => latest.current.traces?.(deltas, others),
        errors: () => latest.current.errors?.(),
        items: () => latest.current.items?.(),
        logs: () => latest.current.logs?.(),
        drops: () => latest.current.drops?.(),
        skipped: () => latest.current.skipped?.(),
        resumed: () => latest.current.resumed?.(),
        ...(selection !== undefined && { selection }),
      }),
    [selection],
  )
}
