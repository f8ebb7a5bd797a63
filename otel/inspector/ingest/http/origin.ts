import type { HandlerRequest } from "../../../protocol/transport/request.ts"
import { quoteForMessage, type Refusal } from "../../../protocol/transport/responses.ts"
import type { GuardPolicy } from "./guards.ts"
import { guardHost, type Host, isLoopback, parseHost } from "./host.ts"

/**
 * Which pages may write and which may read. Browsers name the page in `Origin` on every request that could change
 * something and on every cross-origin one that could read; what has no `Origin` is no page, or a page of ours.
 *
 * - Writing: pages on loopback, whatever their port; pages of the host that is asked; origins on the list.
 * - Reading: pages of the host that is asked, nobody else.
 * - `null`, the origin of sandboxed frames and `data:` pages, is foreign: anyone can have it.
 */

export function guardWriteOrigin(request: HandlerRequest, origins: readonly string[]): Refusal | undefined {
  return request.headers.get("origin") === null || mayWrite(request, origins) ? undefined : foreign(request)
}

/** Also keeps foreign pages from opening what they cannot read, such as the live feed, for its cost alone. */
export function guardReadOrigin(request: HandlerRequest): Refusal | undefined {
  const origin = request.headers.get("origin")
  if (origin !== null) return isOwnOrigin(request, origin) ? undefined : foreign(request)
  const site = request.headers.get("sec-fetch-site")
  const isForeign = site === "cross-site" || site === "same-site"
  return isForeign && request.headers.get("sec-fetch-mode") !== "navigate" ? foreign(request) : undefined
}

/** The page's origin when it may write, for the headers that let it read the answer. */
export function writingOrigin(request: HandlerRequest, origins: readonly string[]): string | undefined {
  const origin = request.headers.get("origin")
  return origin !== null && mayWrite(request, origins) ? origin : undefined
}

function mayWrite(request: HandlerRequest, origins: readonly string[]): boolean {
  const origin = request.headers.get("origin") ?? ""
  const host = hostOfOrigin(origin)
  if (host === undefined) return false
  return isLoopback(host) || isOwnOrigin(request, origin) || origins.some((entry) => isSameOrigin(entry, origin))
}

/** Compared by host: behind a proxy that ends TLS the scheme is not known here, and the host guard has checked the host. */
function isOwnOrigin(request: HandlerRequest, origin: string): boolean {
  const host = hostOfOrigin(origin)
  const own = parseHost(request.headers.get("host") ?? "")
  return host !== undefined && own !== undefined && host.name === own.name && host.port === own.port
}

const SCHEME = /^https?:\/\//i

function hostOfOrigin(origin: string): Host | undefined {
  return SCHEME.test(origin) ? parseHost(origin.replace(SCHEME, "")) : undefined
}

function isSameOrigin(entry: string, origin: string): boolean {
  return entry.replace(/\/$/, "").toLowerCase() === origin.toLowerCase()
}

function foreign(request: HandlerRequest): Refusal {
  const origin = request.headers.get("origin")
  return {
    status: 403,
    reason: "foreign_origin",
    message: "This origin may not use this address. Add it to PAGESPAN_ALLOWED_ORIGINS to let its pages write.",
    sample: origin === null ? "a page of another site" : `Origin ${quoteForMessage(origin)}`,
  }
}

/** What a page's exporter sends along: OTLP's own headers, trace context, and Sentry's. */
const ALLOWED_HEADERS =
  "authorization, baggage, content-encoding, content-type, sentry-trace, traceparent, tracestate, x-sentry-auth"
/** Two hours, the longest that Chromium keeps a preflight. */
const MAX_AGE_SECONDS = 7_200

/**
 * Answers the preflight of a page that may write, and of nobody else; `undefined` for any other request. No handler that
 * shows records answers preflights at all.
 */
export function answerPreflight(request: HandlerRequest, policy: GuardPolicy): Response | Refusal | undefined {
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
export function corsHeaders(request: HandlerRequest, policy: GuardPolicy): Record<string, string> {
  const origin = writingOrigin(request, policy.origins)
  if (origin === undefined) return { vary: "origin" }
  return {
    vary: "origin",
    "access-control-allow-origin": origin,
    "access-control-expose-headers": "retry-after",
  }
}
