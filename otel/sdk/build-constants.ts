/**
 * What a build knows of its app, as constants that `withPagespan` defines: bundlers leave out of pages what the app has no use for.
 * Without a build (a unit test, a script) none is defined. Turbopack leaves out an `import()` only where the constant alone makes
 * the condition false: `typeof X !== "undefined" && X`. They are texts, and an empty one is false: `compiler.define` of Next before 16.2
 * warns of a boolean.
 */
type BuildConstant = "true" | ""

declare global {
  /** Whether a file of the app's pages imports Sentry's SDK. */
  const __PAGESPAN_SENTRY_IN_PAGES__: BuildConstant | undefined
  /** Whether a file of the app's pages imports OpenTelemetry's API: then it is in the first load in any case. */
  const __PAGESPAN_API_IN_PAGES__: BuildConstant | undefined
  /** Whether the app has a `pages` folder. */
  const __PAGESPAN_PAGES_ROUTER__: BuildConstant | undefined
  /** Whether the app is exported as files (`output: "export"`). */
  const __PAGESPAN_EXPORTED__: BuildConstant | undefined
  /** Whether a route of the app has a parameter that is a secret by its name. */
  const __PAGESPAN_SECRET_PATHS__: BuildConstant | undefined
}

/** What the constants say, before they are texts. */
export interface BuildConstants {
  readonly __PAGESPAN_SENTRY_IN_PAGES__: boolean
  readonly __PAGESPAN_API_IN_PAGES__: boolean
  readonly __PAGESPAN_PAGES_ROUTER__: boolean
  readonly __PAGESPAN_EXPORTED__: boolean
  readonly __PAGESPAN_SECRET_PATHS__: boolean
}
