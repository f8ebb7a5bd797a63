"use client"

import { useRouter } from "next/navigation"
import { useEffect } from "react"
import { saveItem } from "./save-item"

/** Lets tests drive the router, and call a server action. */
export function TestHandles() {
  const router = useRouter()
  useEffect(() => void Object.assign(window, { appRouter: router, saveItem }), [router])
  return null
}
