"use client"

import * as Sentry from "@sentry/nextjs"
import { useRouter } from "next/navigation"
import { setFilters } from "pagespan/filters"
import { reportError } from "pagespan/react"
import { useEffect } from "react"

// The cases of the tests include the 404 page, whose trace is filtered by default.
setFilters({ transactions: [] })

/** Lets tests drive the router, and call Sentry's API and report errors. Once they exist, the page has hydrated. */
export function TestHandles() {
  const router = useRouter()
  useEffect(() => void Object.assign(window, { Sentry, appRouter: router, reportCaught: reportError }), [router])
  return null
}
