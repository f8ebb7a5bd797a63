import type { ErrorFacts, Filter } from "./filters.ts"
import { FRAMEWORK_SIGNALS } from "./framework-signals.ts"

/** Errors that the app does not cause: they come from browsers, extensions and embedding apps. */
const NOISE: readonly (readonly [name: string, message: RegExp])[] = [
  // The default list of Sentry's `eventFiltersIntegration`, and what older browsers call the first of them.
  ["ResizeObserver notice", /^ResizeObserver loop (?:completed with undelivered notifications|limit exceeded)\.?$/],
  ["ad blocker", /^(?:TypeError: )?Cannot redefine property: googletag$/],
  ["Google search app", /^Can't find variable: gmo$/],
  ["minified property", /^undefined is not an object \(evaluating 'a\.[A-Z]'\)$/],
  ["tag manager", /vv\(\)\.getRestrictions is not a function/],
  ["Instagram web view", /Can't find variable: _AutofillCallbackHandler/],
  ["CEFSharp embedder", /Object Not Found Matching Id:\d+, MethodName:simulateEvent/],
  ["Facebook web view", /Java exception was raised during method invocation$|Java object is gone$/],
  // Wallets define `solana` and `ethereum` on each page, some of them twice.
  [
    "wallet extension",
    /redefine (?:non-configurable )?property:? "?(?:solana|ethereum)\b|property ethereum of #<Window>/,
  ],
  // Messages of `chrome.runtime`, which no page calls: https://developer.chrome.com/docs/extensions/reference/api/runtime
  [
    "extension messaging",
    /^(?:Extension context invalidated|Could not establish connection\. Receiving end does not exist|The message port closed before a response was received|A listener indicated an asynchronous response by returning true)/,
  ],
  // Scripts of Chrome for iOS, and of apps that embed WebKit, call handlers that only they have.
  ["iOS web view", /\b(?:__gCrWeb|window\.webkit\.messageHandlers)\b/],
]

/** Schemes of scripts that a browser extension injected; Safari hides their address. */
const INJECTED = /^(?:(?:chrome|moz|safari|safari-web|ms-browser)-extension:|webkit-masked-url:)/

const inPage = ({ side }: ErrorFacts) => side === "page"

const noisyErrors: readonly Filter<ErrorFacts>[] = [
  {
    // Of a script of another origin: the browser says neither what failed nor where.
    name: "script error",
    reason: "noisy_error",
    drops: (facts) =>
      inPage(facts) &&
      facts.scripts.length === 0 &&
      /^(?:Javascript error: )?Script error\.?(?: on line 0)?$/.test(withoutPrefix(facts.message)),
  },
  {
    // By the app's own `AbortController`, or because the visitor went on: Safari calls that "cancelled".
    name: "cancelled request",
    reason: "noisy_error",
    drops: (facts) =>
      inPage(facts) &&
      (facts.type === "AbortError" || /^AbortError\b|^(?:TypeError: )?cancelled$/.test(withoutPrefix(facts.message))),
  },
  ...NOISE.map(([name, pattern]) => ({
    name,
    reason: "noisy_error" as const,
    drops: (facts: ErrorFacts) => inPage(facts) && pattern.test(withoutPrefix(facts.message)),
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

const SUSPENSE = "Suspense Exception: This is not a real error"

/**
 * React aborts a render with it when the visitor closes the connection. Next 16.3 takes it for an error of the app, gives it a digest
 * and reports it, outside of the request's trace; later versions do not. A bundler leaves it out of pages.
 */
const closedResponses: readonly Filter<ErrorFacts>[] =
  typeof window === "undefined"
    ? [
        {
          name: "closed response",
          reason: "framework_signal",
          drops: ({ message }) =>
            /^The destination stream (?:closed early|errored while writing data)\.$/.test(message),
        },
      ]
    : []

/**
 * The errors that no app reports by default. Pages load them once they are idle, with the Sentry client.
 *
 * @see https://docs.sentry.io/platforms/javascript/configuration/filtering/
 */
export const defaultErrorFilters: readonly Filter<ErrorFacts>[] = [
  ...FRAMEWORK_SIGNALS.map(([name, pattern]) => ({
    name,
    reason: "framework_signal" as const,
    drops: ({ digest, message }: ErrorFacts) => pattern.test(digest ?? message),
  })),
  { name: "suspense", reason: "framework_signal", drops: ({ message }) => message.startsWith(SUSPENSE) },
  ...closedResponses,
  ...noisyErrors,
]
