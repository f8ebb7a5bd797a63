/** Control flow that Next.js and React throw, by its digest. None of it is an error of the app. */
export const FRAMEWORK_SIGNALS: readonly (readonly [name: string, digest: RegExp])[] = [
  ["redirect", /^NEXT_REDIRECT(?:;|$)/],
  ["not found", /^NEXT_NOT_FOUND$|^NEXT_HTTP_ERROR_FALLBACK;404$/],
  ["forbidden", /^NEXT_HTTP_ERROR_FALLBACK;403$/],
  ["unauthorized", /^NEXT_HTTP_ERROR_FALLBACK;401$/],
  [
    "prerender interrupt",
    /^(?:HANGING_PROMISE_REJECTION|NEXT_PRERENDER_INTERRUPTED|DYNAMIC_SERVER_USAGE|BAILOUT_TO_CLIENT_SIDE_RENDERING)$/,
  ],
]

/** @param text the digest of an error, or its message: those of redirects, not-found and similar signals are their digests. */
export function isFrameworkSignal(text: string): boolean {
  return FRAMEWORK_SIGNALS.some(([, digest]) => digest.test(text))
}
