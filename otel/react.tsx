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
 * Reports an error that an error boundary caught: global handlers do not see it. Call it in an effect. Never throws. Without
 * effect on the server, where tracing is off, and for an error object that the page has reported before.
 *
 * @param error what was thrown, of any type. One with a `digest` is not sent to Sentry, because the server has reported it: it
 *   becomes an `exception` event with the attribute `error.digest` on the active span.
 * @example useEffect(() => reportError(error), [error])
 */
export function reportError(error: unknown): void {
  currentPage()?.reportError(error)
}

/**
 * Returns the id of the page's current trace, to quote in an error view.
 *
 * @returns 32 hexadecimal digits; `undefined` on the server and where tracing is off.
 *
 * @example <p>Reference: {currentTraceId()}</p>
 */
export function currentTraceId(): string | undefined {
  return currentPage()?.currentTraceId()
}

/**
 * Starts tracing, with `consent: "required"` or where Global Privacy Control objected. Call it on each page load, since
 * Pagespan does not store the consent. Without effect while tracing runs, and before the tracer has started. Never throws.
 *
 * @example <button onClick={grantConsent}>Agree</button>
 */
export function grantConsent(): void {
  currentPage()?.grantConsent()
}

/**
 * Ends tracing at once, until `grantConsent()`. Deletes the session and what has not been sent. Never throws.
 *
 * @example <button onClick={withdrawConsent}>Withdraw</button>
 */
export function withdrawConsent(): void {
  currentPage()?.withdrawConsent()
}
