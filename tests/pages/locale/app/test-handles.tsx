"use client"

import * as Sentry from "@sentry/nextjs"
import { useRouter } from "next/navigation"
import { setFilters } from "pagespan/filters"
import { useEffect } from "react"

// The cases of the tests include the 404 page, whose trace is filtered by default.
setFilters({ transactions: [] })

/** Lets tests drive the router, and call Sentry's API, which no `Sentry.init` has set up. Once they exist, the page has hydrated. */
export function TestHandles() {
  const router = useRouter()
  useEffect(() => void Object.assign(window, { Sentry, appRouter: router }), [router])
  return null
}
