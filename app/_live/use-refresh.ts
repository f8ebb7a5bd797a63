"use client"

import { useRouter } from "next/navigation"
import { useCallback, useEffect, useRef } from "react"
import { canRefresh } from "#app/_live/can-refresh.ts"

/**
 * Returns a function that refreshes the page: at most once per `everyMs` milliseconds, and not while `held`. The live feed is
 * fast but partial; a refresh makes the numbers exact. With `whenQuiet` it debounces instead of throttling. While the
 * inspector is stopped the page stays as it is; the feed reports when it is back.
 */
export function useRefresh(everyMs: number, held: boolean, whenQuiet = false): () => void {
  const router = useRouter()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const owed = useRef(false)
  const holding = useRef(held)
  const isMounted = useRef(true)

  const refreshIfPossible = useCallback(async () => {
    if (!(await canRefresh()) || !isMounted.current) return
    owed.current = false
    router.refresh()
  }, [router])

  const refresh = useCallback(() => {
    owed.current = true
    if (whenQuiet) {
      clearTimeout(timer.current)
      timer.current = undefined
    }
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      if (holding.current) return
      void refreshIfPossible()
    }, everyMs)
  }, [everyMs, refreshIfPossible, whenQuiet])

  useEffect(() => {
    holding.current = held
    if (!held && owed.current) refresh()
  }, [held, refresh])
  useEffect(() => {
    isMounted.current = true
    return () => {
      isMounted.current = false
      clearTimeout(timer.current)
    }
  }, [])
  return refresh
}
