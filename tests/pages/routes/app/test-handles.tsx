"use client"

import { trace } from "@opentelemetry/api"
import { useRouter } from "next/navigation"
import { grantConsent, reportError, withdrawConsent } from "pagespan/react"
import { useEffect } from "react"

/**
 * Lets tests drive the router and create the app's own spans. It follows the route observer in one Suspense boundary, which
 * hydrates as one: once it exists, the page has hydrated and the observer has reported the route.
 */
export function TestHandles() {
  const router = useRouter()
  useEffect(() => {
    Object.assign(window, { appRouter: router, pagespan: { grantConsent, reportError, withdrawConsent }, otel: trace })
  }, [router])
  return null
}
