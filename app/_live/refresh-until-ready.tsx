"use client"

import { useRouter } from "next/navigation"
import { useEffect, useState, useTransition } from "react"
import { canRefresh } from "#app/_live/can-refresh.ts"

const FIRST_MS = 1_000
const LAST_MS = 8_000

/** Refreshes the screen with a growing delay, for as long as it is part of it. */
export function RefreshUntilReady() {
  const router = useRouter()
  const [attempt, setAttempt] = useState(0)
  const [pending, startTransition] = useTransition()
  useEffect(() => {
    if (pending) return undefined
    const timer = setTimeout(
      () => {
        setAttempt((before) => before + 1)
        startTransition(async () => {
          if (await canRefresh()) router.refresh()
        })
      },
      Math.min(FIRST_MS * 1.5 ** attempt, LAST_MS),
    )
    return () => clearTimeout(timer)
  }, [attempt, pending, router])
  return null
}
