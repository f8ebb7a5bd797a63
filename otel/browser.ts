import { currentPage } from "./sdk/browser/page.ts"
import { startPage } from "./sdk/browser/start.ts"

/**
 * The page's tracer. The import starts it, before the page hydrates; `withPagespan` injects the import.
 *
 * @see https://nextjs.org/docs/app/api-reference/config/next-config-js/instrumentationClientInject
 */
startPage()

/**
 * Starts the span of a navigation. Next calls it when the router leaves for another page; an app does not call it.
 *
 * @param url of the page that the router leaves for, as a path with its query.
 * @param navigationType `push`, `replace` or `traverse`.
 * @see https://nextjs.org/docs/app/api-reference/file-conventions/instrumentation-client
 */
export function onRouterTransitionStart(url: string, navigationType: string): void {
  currentPage()?.transitionStarted(url, navigationType)
}

/**
 * Starts tracing, with `consent: "required"` or where Global Privacy Control objected. Call it on each page load, since
 * Pagespan does not store the consent. Without effect while tracing runs, and before the tracer has started. Never throws.
 *
 * @example if (hasAgreed()) grantConsent()
 */
export function grantConsent(): void {
  currentPage()?.grantConsent()
}

/**
 * Ends tracing at once, until `grantConsent()`. Deletes the session and what has not been sent. Never throws.
 *
 * @example withdrawConsent()
 */
export function withdrawConsent(): void {
  currentPage()?.withdrawConsent()
}
