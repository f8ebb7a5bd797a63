"use client"

import { usePathname, useSelectedLayoutSegments } from "next/navigation"
import { useEffect } from "react"
import { currentPage } from "./sdk/browser/page.ts"

/**
 * Tells the page's tracer which route the router shows, after each commit. One element in the root layout; renders
 * nothing. With `cacheComponents` put it inside `<Suspense>`.
 */
export function RouteObserver(): null {
  const pathname = usePathname()
  const segments = JSON.stringify(useSelectedLayoutSegments())
  useEffect(() => {
    if (process.env.NODE_ENV === "development")
      void import("./sdk/browser/development.ts").then((each) => each.noteObserved())
    currentPage()?.committed({ pathname, segments: JSON.parse(segments) as string[] })
  }, [pathname, segments])
  return null
}

/** Reports an error that an error boundary caught: no global handler sees those. Call it in an effect. */
export function reportError(error: unknown): void {
  currentPage()?.reportError(error)
}

/** The trace that the page is on, to quote in an error view; `undefined` on the server and where tracing is off. */
export function currentTraceId(): string | undefined {
  return currentPage()?.currentTraceId()
}

/** Tracing may begin: with `consent: "required"`, or where Global Privacy Control objected. Say so on each page load. */
export function grantConsent(): void {
  currentPage()?.grantConsent()
}

/** Tracing ends now; what has not been sent and the session are deleted. */
export function withdrawConsent(): void {
  currentPage()?.withdrawConsent()
}
