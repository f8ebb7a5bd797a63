"use client"

import { trace } from "@opentelemetry/api"
import { useRouter } from "next/navigation"
import { grantConsent, reportError, withdrawConsent } from "pagespan/react"
import { useEffect } from "react"

/** Lets tests drive the router and make spans of the app's own; that it is there says that the page has hydrated. */
export function TestHandles() {
  const router = useRouter()
  useEffect(() => {
    Object.assign(window, { appRouter: router, pagespan: { grantConsent, reportError, withdrawConsent }, otel: trace })
  }, [router])
  return null
}
