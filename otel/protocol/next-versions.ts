import { isSince } from "./is-since.ts"

/** Starts the page's tracer. */
export const PAGE_ENTRY = "pagespan/browser"
/** Joins Sentry's SDK in a page, where the app uses it by itself. */
export const SENTRY_ENTRY = "pagespan/sentry"
/** Next calls what `instrumentation-client` exports under this name with each transition of the router. */
export const TRANSITION_HOOK = "onRouterTransitionStart"
/** The line of an app's `instrumentation-client` where Next injects nothing: it starts the page's tracer and reports navigations to it. */
export const PAGE_EXPORT = `export { ${TRANSITION_HOOK} } from "${PAGE_ENTRY}"`

/** With `instrumentationClientInject`. */
const FIRST_WITH_INJECTION = [16, 3] as const
/** With `instrumentation-client`, and the hook of the router in it. */
const FIRST_WITH_HOOK = [15, 3] as const
/** With `turbopack.debugIds`. */
const FIRST_WITH_DEBUG_IDS = [16] as const
/** From the first of these versions until before the second, Next reports no errors of route handlers while a tracer is active. */
const WITHOUT_HANDLER_ERRORS = [
  [15, 4],
  [15, 5, 4],
] as const

/**
 * How the pages of an app get the tracer: Next injects it (`injected`), the app's own `instrumentation-client` imports it
 * (`imported`), or not at all, since this version of Next is not supported (`unsupported`).
 *
 * @param version of Next, or a range of its versions. What a range leaves open is taken as the newest.
 *
 * @example pageStart("16.2.4") // "imported"
 */
export function pageStart(version: string): "injected" | "imported" | "unsupported" {
  if (isSince(version, FIRST_WITH_INJECTION)) return "injected"
  return isSince(version, FIRST_WITH_HOOK) ? "imported" : "unsupported"
}

/**
 * Warning about a version of Next that passes no error of a route handler to `onRequestError` while a tracer is active.
 *
 * @param version as for `pageStart`.
 * @returns `undefined` for the other versions.
 * @see https://github.com/vercel/next.js/issues/82612
 */
export function handlerErrorsProblem(version: string): string | undefined {
  const [first, fixed] = WITHOUT_HANDLER_ERRORS
  if (!isSince(version, first) || isSince(version, fixed)) return undefined
  return `Next ${version} does not report errors of route handlers while a tracer is active, so Sentry gets none: upgrade to 15.5.4 or later`
}

/**
 * Whether Turbopack gives scripts debug ids in this version of Next, if it is asked to. Others warn of the setting.
 *
 * @param version as for `pageStart`.
 */
export function makesDebugIds(version: string): boolean {
  return isSince(version, FIRST_WITH_DEBUG_IDS)
}
