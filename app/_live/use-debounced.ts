"use client"

import { useCallback, useEffect, useRef } from "react"

/** Time in which announced logs are read together, and by which every replica of a cluster has them. */
export const LOGS_STORED_MS = 400
export const LOGS_SETTLED_MS = 4_000

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
