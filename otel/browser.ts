import { currentPage } from "./sdk/browser/page.ts"
import { startPage } from "./sdk/browser/start.ts"

/**
 * The page's tracer: importing it starts it, before the page hydrates. `withPagespan` injects it, so that an app need
 * not. Next calls the hook that it exports when the router sets out for another page.
 *
 * @see https://nextjs.org/docs/app/api-reference/config/next-config-js/instrumentationClientInject
 */
startPage()

export function onRouterTransitionStart(url: string, navigationType: string): void {
  currentPage()?.transitionStarted(url, navigationType)
}

/** Tracing may begin: with `consent: "required"`, or where Global Privacy Control objected. Say so on each page load. */
export function grantConsent(): void {
  currentPage()?.grantConsent()
}

/** Tracing ends now; what has not been sent and the session are deleted. */
export function withdrawConsent(): void {
  currentPage()?.withdrawConsent()
}
