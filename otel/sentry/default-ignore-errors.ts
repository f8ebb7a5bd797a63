/**
 * What an app without filters of its own does not report: the default list of Sentry's `eventFiltersIntegration`, which
 * is left out of the page because its rules are `brokenRule`'s too.
 *
 * @see https://docs.sentry.io/platforms/javascript/configuration/filtering/
 */
export const DEFAULT_IGNORE_ERRORS: readonly RegExp[] = [
  /^(?:Javascript error: )?Script error\.?(?: on line 0)?$/,
  /^ResizeObserver loop completed with undelivered notifications.$/,
  /^Cannot redefine property: googletag$/,
  /^undefined is not an object \(evaluating 'a\.[A-Z]'\)$/,
  /can't redefine non-configurable property "solana"/,
  /vv\(\)\.getRestrictions is not a function/,
  /Can't find variable: (?:gmo$|_AutofillCallbackHandler)/,
  /Object Not Found Matching Id:\d+, MethodName:simulateEvent/,
  /Java (?:exception was raised during method invocation|object is gone)$/,
]
