"use client"

import { formatAge, isoTime } from "./time.ts"
import { useSyncExternalStore } from "react"

/** How long ago something was, kept current. `renderedAt`: when the server rendered it, in milliseconds since the epoch. */
export function Age({ unixNano, renderedAt }: { unixNano: string; renderedAt: number }) {
  const now = useClock(renderedAt)
  const moment = BigInt(unixNano)
  const iso = isoTime(moment)
  return (
    <time dateTime={iso} title={iso}>
      {formatAge(now - Number(moment / 1_000_000n))}
    </time>
  )
}

const TICK_MS = 1_000

/** One timer for all that shows an age, and none while nothing does. */
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

/** Milliseconds since the epoch, once a second; the moment of rendering on the server and while hydrating. */
export function useClock(renderedAt: number): number {
  return useSyncExternalStore(
    subscribe,
    () => now || renderedAt,
    () => renderedAt,
  )
}
