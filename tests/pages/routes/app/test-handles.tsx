"use client"

import { trace } from "@opentelemetry/api"
import { useRouter } from "next/navigation"
import { setFilters } from "pagespan/filters"
import { grantConsent, reportError, withdrawConsent } from "pagespan/react"
import { useEffect } from "react"

// The cases of the tests include the 404 page, whose trace is filtered by default.
setFilters({ transactions: [] })

/**
 * Lets tests drive the router and make spans of the app's own. It stands behind the route observer in one boundary, which
 * hydrates on its own: that it is there says that the page has hydrated and that its route has been told.
 */
export function TestHandles() {
  const router = useRouter()
  useEffect(() => {
    Object.assign(window, { appRouter: router, pagespan: { grantConsent, reportError, withdrawConsent }, otel: trace })
  }, [router])
  return null
}
