import type { ErrorFacts, Filter } from "pagespan/filters"

/**
 * Control flow that Next.js and React throw: redirects, not-found and similar signals, and interrupted prerenders. None of
 * them is an error of the app.
 */
const SIGNALS: readonly (readonly [name: string, digest: RegExp])[] = [
  ["redirect", /^NEXT_REDIRECT;/],
  ["not found", /^NEXT_NOT_FOUND$|^NEXT_HTTP_ERROR_FALLBACK;404$/],
  ["forbidden", /^NEXT_HTTP_ERROR_FALLBACK;403$/],
  ["unauthorized", /^NEXT_HTTP_ERROR_FALLBACK;401$/],
  [
    "prerender interrupt",
    /^(?:HANGING_PROMISE_REJECTION|NEXT_PRERENDER_INTERRUPTED|DYNAMIC_SERVER_USAGE|BAILOUT_TO_CLIENT_SIDE_RENDERING)$/,
  ],
]

const SUSPENSE = "Suspense Exception: This is not a real error"

export const frameworkSignals: readonly Filter<ErrorFacts>[] = [
  ...SIGNALS.map(([name, pattern]) => ({
    name,
    reason: "framework_signal" as const,
    drops: ({ digest, message }: ErrorFacts) => pattern.test(digest ?? message),
  })),
  { name: "suspense", reason: "framework_signal", drops: ({ message }) => message.startsWith(SUSPENSE) },
]
