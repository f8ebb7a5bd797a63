"use client"

import { useSyncExternalStore } from "react"
import { formatAge, formatAgo, isoTime } from "./time.ts"

interface AgeProps {
  /** Nanoseconds since the epoch. */
  readonly unixNano: string
  /** When the server rendered it, in milliseconds since the epoch. */
  readonly renderedAt: number
  /** Reads `3 m ago` or `just now`, for use within a sentence. */
  readonly suffix?: boolean
}

/** How long ago something happened, updated every second. */
export function Age({ unixNano, renderedAt, suffix = false }: AgeProps) {
  const now = useClock(renderedAt)
  const moment = BigInt(unixNano)
  const iso = isoTime(moment)
  const ageMs = now - Number(moment / 1_000_000n)
  return (
    <time dateTime={iso} title={iso}>
      {suffix ? formatAgo(ageMs) : formatAge(ageMs)}
    </time>
  )
}

const TICK_MS = 1_000

/** One timer for all ages on the page; none while there is no age. */
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined
let now = 0

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  if (timer === undefined) {
    now = Date.now()
    timer = setInterval(tick, TICK_MS)
  }
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

function tick(): void {
  now = Date.now()
  for (const listener of listeners) listener()
}

/** Milliseconds since the epoch, updated every second; `renderedAt` on the server and during hydration. */
function useClock(renderedAt: number): number {
  return useSyncExternalStore(
    subscribe,
    () => now || renderedAt,
    () => renderedAt,
  )
}
