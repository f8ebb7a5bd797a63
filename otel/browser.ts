import { currentPage } from "./sdk/browser/page.ts"
import { startPage } from "./sdk/browser/start.ts"

/**
 * The page's tracer. The import starts it, before the page hydrates. From Next 16.3 on `withPagespan` injects the import; before, the
 * app's `instrumentation-client` has it.
 *
 * @see https://nextjs.org/docs/app/api-reference/config/next-config-js/instrumentationClientInject
 */
startPage()

/**
 * Starts the span of a navigation. Next calls it when the router leaves for another page. Call it yourself only from an
 * `onRouterTransitionStart` of your own, with Next 15.3 to 16.2.
 *
 * @param url of the page that the router leaves for, as a path with its query.
 * @param navigationType `push`, `replace` or `traverse`.
 * @see https://nextjs.org/docs/app/api-reference/file-conventions/instrumentation-client
 *
 * @example export { onRouterTransitionStart } from "pagespan/browser" // instrumentation-client.ts, Next 15.3 to 16.2
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
