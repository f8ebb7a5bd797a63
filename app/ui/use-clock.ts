"use client"

import { useSyncExternalStore } from "react"

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
