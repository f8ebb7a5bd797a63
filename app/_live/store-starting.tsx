"use client"

import { useRouter } from "next/navigation"
import { useEffect, useState, useTransition } from "react"
import { Message } from "#app/_ui/layout/message.tsx"

const FIRST_MS = 1_000
const LAST_MS = 8_000

/** Shown while the store cannot answer. It asks again by itself, each time a little later, until the page can be read. */
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
      <output>
        What arrives meanwhile is taken in and kept. This page shows it as soon as the store answers; there is nothing
        to do.
      </output>
    </Message>
  )
}
