"use client"

import { useRouter } from "next/navigation"
import { useCallback, useEffect, useRef } from "react"

/**
 * Asks for the page to be read again, at most once in `everyMs` and not while `held`. What the feed brings is quick but
 * counts only what was seen go by: reading again is what keeps the numbers true. With `whenQuiet` it is read once nothing
 * has asked for it that long.
 */
export function useRefresh(everyMs: number, held: boolean, whenQuiet = false): () => void {
  const router = useRouter()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const owed = useRef(false)
  const holding = useRef(held)

  const refresh = useCallback(() => {
    owed.current = true
    if (whenQuiet) {
      clearTimeout(timer.current)
      timer.current = undefined
    }
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      if (holding.current) return
      owed.current = false
      router.refresh()
    }, everyMs)
  }, [everyMs, router, whenQuiet])

  useEffect(() => {
    holding.current = held
    if (!held && owed.current) refresh()
  }, [held, refresh])
  useEffect(() => () => clearTimeout(timer.current), [])
  return refresh
}
