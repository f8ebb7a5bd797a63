"use client"

import { useRouter } from "next/navigation"
import { grantConsent, reportError, withdrawConsent } from "pagespan/react"
import { useEffect } from "react"

/** Lets tests drive the router. Once it exists, the page has hydrated. */
export function TestHandles() {
  const router = useRouter()
  useEffect(() => {
    Object.assign(window, { appRouter: router, pagespan: { grantConsent, reportError, withdrawConsent } })
  }, [router])
  return null
}
