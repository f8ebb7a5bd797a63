/** Starts the page's tracer. */
export const PAGE_ENTRY = "pagespan/browser"
/** Joins Sentry's SDK in a page, where the app uses it by itself. */
export const SENTRY_ENTRY = "pagespan/sentry"
/** Next calls what `instrumentation-client` exports under this name with each transition of the router. */
export const TRANSITION_HOOK = "onRouterTransitionStart"
/** The line of an app's `instrumentation-client` where Next injects nothing: it starts the page's tracer and reports navigations to it. */
export const PAGE_EXPORT = `export { ${TRANSITION_HOOK} } from "${PAGE_ENTRY}"`

/** The first version of Next with `instrumentationClientInject`. */
const FIRST_WITH_INJECTION = [16, 3] as const

/**
 * How the pages of an app get the tracer: Next injects it (`injected`), the app's own `instrumentation-client` imports it
 * (`imported`), or not at all, since this version of Next is not supported (`unsupported`).
 *
 * @param version of Next, or a range of its versions. What a range leaves open is taken as the newest.
 *
 * @example pageStart("16.2.4") // "imported"
 */
export function pageStart(version: string): "injected" | "imported" | "unsupported" {
  const numbers = /\d+(?:\.\d+)?/.exec(version)?.[0].split(".") ?? []
  const [major = Infinity, minor = Infinity] = numbers.map(Number)
  const [firstMajor, firstMinor] = FIRST_WITH_INJECTION
  if (major < firstMajor) return "unsupported"
  return major > firstMajor || minor >= firstMinor ? "injected" : "imported"
}
