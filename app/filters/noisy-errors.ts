import type { ErrorFacts, Filter } from "pagespan/filters"

/**
 * Errors that the app does not cause: they come from browsers, extensions and embedding apps. The list is the default of
 * Sentry's `eventFiltersIntegration`, each entry with its source.
 */
const NOISE: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["script error without detail", /^(?:Javascript error: )?Script error\.?(?: on line 0)?$/],
  ["ResizeObserver notice", /^ResizeObserver loop (?:completed with undelivered notifications|limit exceeded)\.?$/],
  ["tag manager beside an ad blocker", /^(?:TypeError: )?Cannot redefine property: googletag$/],
  ["Google search app", /^Can't find variable: gmo$/],
  ["minified property of nobody's", /^undefined is not an object \(evaluating 'a\.[A-Z]'\)$/],
  ["wallet extension", /can't redefine non-configurable property "solana"/],
  ["tag manager script", /vv\(\)\.getRestrictions is not a function/],
  ["Instagram web view", /Can't find variable: _AutofillCallbackHandler/],
  ["CEFSharp embedder", /Object Not Found Matching Id:\d+, MethodName:simulateEvent/],
  ["Facebook web view", /Java exception was raised during method invocation$|Java object is gone$/],
]

/** Schemes of scripts that a browser extension injected. */
const INJECTED = /^(?:chrome|moz|safari|safari-web|ms-browser)-extension:/

export const noisyErrors: readonly Filter<ErrorFacts>[] = [
  ...NOISE.map(([name, pattern]) => ({
    name,
    reason: "noisy_error" as const,
    drops: ({ side, message }: ErrorFacts) => side === "page" && pattern.test(withoutPrefix(message)),
  })),
  {
    name: "injected script",
    reason: "noisy_error",
    drops: ({ scripts }) => scripts.some((script) => INJECTED.test(script)),
  },
]

/** Browsers prefix the message of an uncaught error without an error object with `Uncaught `. */
function withoutPrefix(message: string): string {
  return message.replace(/^Uncaught /, "")
}
