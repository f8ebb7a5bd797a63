"use client"

import { usePathname, useSelectedLayoutSegments } from "next/navigation"
import { useEffect } from "react"
import { currentPage } from "./sdk/browser/page.ts"

/**
 * Reports to the page's tracer which route the router shows, after each commit. Put one into each root layout; with
 * `cacheComponents` inside `<Suspense>`. It renders nothing.
 *
 * @example <body>{children}<RouteObserver /></body>
 */
export function RouteObserver(): null {
  // The tracer reads what the router shows from the history. The hooks render this again whenever that changes.
  usePathname()
  useSelectedLayoutSegments()
  // After each rendering: a change of the query alone causes one, and does not change the path.
  useEffect(() => {
    currentPage()?.committed()
    if (process.env.NODE_ENV === "development")
      void import("./sdk/browser/development.ts").then((each) => each.noteObserved())
  })
  return null
}

/**
 * Reports an error that an error boundary caught: global handlers do not see it. Call it in an effect.
 *
 * @param error whatever was thrown.
 * @example useEffect(() => reportError(error), [error])
 */
export function reportError(error: unknown): void {
  currentPage()?.reportError(error)
}

/**
 * Returns the id of the page's current trace, to quote in an error view; `undefined` on the server and where tracing is off.
 *
 * @example <p>Reference: {currentTraceId()}</p>
 */
export function currentTraceId(): string | undefined {
  return currentPage()?.currentTraceId()
}

/**
 * Starts tracing, with `consent: "required"` or where Global Privacy Control objected. Call it on each page load.
 *
 * @example <button onClick={grantConsent}>Agree</button>
 */
export function grantConsent(): void {
  currentPage()?.grantConsent()
}

/**
 * Ends tracing at once. Deletes the session and what has not been sent.
 *
 * @example <button onClick={withdrawConsent}>Withdraw</button>
 */
export function withdrawConsent(): void {
  currentPage()?.withdrawConsent()
}
