"use client"

import { useRouter } from "next/navigation"
import { useEffect, useState, useTransition } from "react"
import { Message } from "#app/_ui/layout/message.tsx"

const FIRST_MS = 1_000
const LAST_MS = 8_000

/** Shown while the store is unavailable. Refreshes the page with a growing delay until the store answers. */
export function StoreStarting() {
  const router = useRouter()
  const [attempt, setAttempt] = useState(0)
  const [pending, startTransition] = useTransition()
  useEffect(() => {
    if (pending) return undefined
    const timer = setTimeout(
      () => {
        setAttempt((before) => before + 1)
        startTransition(() => router.refresh())
      },
      Math.min(FIRST_MS * 1.5 ** attempt, LAST_MS),
    )
    return () => clearTimeout(timer)
  }, [attempt, pending, router])
  return (
    <Message title="The store is starting">
      <output>Pagespan keeps accepting data. This page loads as soon as the store is ready.</output>
    </Message>
  )
}
