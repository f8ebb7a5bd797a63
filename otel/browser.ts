import { currentPage } from "./sdk/browser/page.ts"
import { startPage } from "./sdk/browser/start.ts"

/**
 * The page's tracer. The import starts it, before the page hydrates; `withPagespan` injects the import. Next calls
 * `onRouterTransitionStart` when the router leaves for another page.
 *
 * @see https://nextjs.org/docs/app/api-reference/config/next-config-js/instrumentationClientInject
 */
startPage()

export function onRouterTransitionStart(url: string, navigationType: string): void {
  currentPage()?.transitionStarted(url, navigationType)
}

/**
 * Starts tracing, with `consent: "required"` or where Global Privacy Control objected. Call it on each page load.
 *
 * @example if (hasAgreed()) grantConsent()
 */
export function grantConsent(): void {
  currentPage()?.grantConsent()
}

/**
 * Ends tracing at once. Deletes the session and what has not been sent.
 *
 * @example withdrawConsent()
 */
export function withdrawConsent(): void {
  currentPage()?.withdrawConsent()
}
