"use client"

import { useRouter } from "next/navigation"
import { useEffect } from "react"

/** Lets tests see that the page has hydrated. */
export function TestHandles() {
  const router = useRouter()
  useEffect(() => void Object.assign(window, { appRouter: router }), [router])
  return null
}
