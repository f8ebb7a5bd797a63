"use client"

import { useCallback, useEffect, useRef } from "react"

/** Logs that are announced within this time are read together. */
export const LOGS_TOGETHER_MS = 400
/** By then, the other replicas of a cluster have what one of them has stored. */
export const LOGS_REPLICATED_MS = 4_000

/** Debounces an action: runs it `delayMs` milliseconds after the last of several calls, at the latest after four times that. */
export function useDebounced(act: () => Promise<void>, delayMs: number): () => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const since = useRef<number>(undefined)
  const latest = useRef(act)
  useEffect(() => {
    latest.current = act
  })
  useEffect(() => () => clearTimeout(timer.current), [])
  return useCallback(() => {
    const now = Date.now()
    since.current ??= now
    clearTimeout(timer.current)
    const left = since.current + 4 * delayMs - now
    timer.current = setTimeout(
      () => {
        since.current = undefined
        void latest.current()
      },
      Math.max(0, Math.min(delayMs, left)),
    )
  }, [delayMs])
}
