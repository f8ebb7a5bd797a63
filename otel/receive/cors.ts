import type { DoorRequest } from "./door-request.ts"
import type { GuardPolicy } from "./guard.ts"
import { guardHost } from "./guard-host.ts"
import { guardWriteOrigin, writingOrigin } from "./guard-origin.ts"
import type { Refusal } from "./refusal.ts"

/** What a page's exporter sends along: OTLP's own headers, trace context, and Sentry's. */
const ALLOWED_HEADERS =
  "authorization, baggage, content-encoding, content-type, sentry-trace, traceparent, tracestate, x-sentry-auth"
/** Two hours, the longest that Chromium keeps a preflight. */
const MAX_AGE_SECONDS = 7_200

/**
 * Answers the preflight of a page that may write, and of nobody else; `undefined` for any other request. No door that
 * shows records answers preflights at all.
 */
export function answerPreflight(request: DoorRequest, policy: GuardPolicy): Response | Refusal | undefined {
  if (request.method !== "OPTIONS" || request.headers.get("access-control-request-method") === null) return undefined
  const refusal = guardHost(request, policy.hosts) ?? guardWriteOrigin(request, policy.origins)
  if (refusal !== undefined) return refusal
  return new Response(null, {
    status: 204,
    headers: {
      ...corsHeaders(request, policy),
      "access-control-allow-methods": "POST",
      "access-control-allow-headers": ALLOWED_HEADERS,
      "access-control-max-age": String(MAX_AGE_SECONDS),
    },
  })
}

/** Lets a page that may write read the answer: whether it was taken, and when to send again. */
export function corsHeaders(request: DoorRequest, policy: GuardPolicy): Record<string, string> {
  const origin = writingOrigin(request, policy.origins)
  if (origin === undefined) return { vary: "origin" }
  return {
    vary: "origin",
    "access-control-allow-origin": origin,
    "access-control-expose-headers": "retry-after",
  }
}
