import type { Secret } from "../../../protocol/secret.ts"
import type { RequestHead } from "../../../protocol/transport/request.ts"
import { quoteForMessage, type Refusal } from "../../../protocol/transport/responses.ts"
import { guardKey, guardToken, guardViewer } from "./token.ts"

/** Guards need no more of a request than this. */
type GuardedRequest = Pick<RequestHead, "method" | "headers">
type Headed = Pick<RequestHead, "headers">

/**
 * The first line of every handler. It lives inside the handlers and not in a middleware, since each middleware layer of
 * the framework has been bypassed at least once. It looks at headers only and reads no body.
 */
export interface GuardPolicy {
  /** Hosts that are served beside the loopback names. */
  readonly hosts: readonly string[]
  /** Origins whose pages may write beside those on loopback. */
  readonly origins: readonly string[]
  /** Asked for from everyone when set. */
  readonly token: Secret | undefined
}

/** For handlers: what takes records. */
export function guardWrite(request: GuardedRequest, policy: GuardPolicy): Refusal | undefined {
  return guardSender(request, policy) ?? guardToken(request, policy.token)
}

/** For handlers whose senders name themselves in another way than by `Authorization`: Sentry's SDKs have a key. */
export function guardSender(request: GuardedRequest, policy: GuardPolicy): Refusal | undefined {
  return guardMethod(request, "POST") ?? guardHost(request, policy.hosts) ?? guardWriteOrigin(request, policy.origins)
}

/** For handlers whose senders have a DSN and send its key in the query or a header. */
export function guardKeyHolder(request: RequestHead, policy: GuardPolicy): Refusal | undefined {
  return guardSender(request, policy) ?? guardKey(request, policy.token, undefined)
}

/** For what changes what is shown: pages of other origins may not, even where they may write. */
export function guardAction(
  request: GuardedRequest,
  policy: GuardPolicy,
  method: "DELETE" | "POST" | "PUT",
): Refusal | undefined {
  return (
    guardMethod(request, method) ??
    guardHost(request, policy.hosts) ??
    guardReadOrigin(request) ??
    guardViewer(request, policy.token)
  )
}

/** For the read API, the screens and the live feed: what shows records. */
export function guardRead(request: GuardedRequest, policy: GuardPolicy): Refusal | undefined {
  return guardPublicRead(request, policy) ?? guardViewer(request, policy.token)
}

/** For what pages of this host may do without a token: ask for a session. */
export function guardScreen(
  request: GuardedRequest,
  policy: GuardPolicy,
  ...methods: readonly string[]
): Refusal | undefined {
  return guardMethod(request, ...methods) ?? guardHost(request, policy.hosts) ?? guardReadOrigin(request)
}

/** For health, which a balancer asks without a token and which shows no record. */
export function guardPublicRead(request: GuardedRequest, policy: GuardPolicy): Refusal | undefined {
  return guardScreen(request, policy, "GET", "HEAD")
}

function guardMethod(request: Pick<RequestHead, "method">, ...methods: readonly string[]): Refusal | undefined {
  if (methods.includes(request.method)) return undefined
  const allow = methods.join(", ")
  return { status: 405, reason: "malformed", message: `Only ${allow} is served here.`, headers: { allow } }
}

/**
 * Only hosts on an exact list are served. A page on another site can point a name of its own at this machine (DNS
 * rebinding) and would then count as the same origin; the `Host` header still carries that name. Address forms that a
 * resolver would take for loopback (`127.1`, `0x7f000001`, `localhost.`) are not on the list, so they are refused.
 */

const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"])
const HOST = /^(?<name>\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(?::(?<port>\d{1,5}))?$/

export interface Host {
  readonly name: string
  readonly port: string | undefined
}

export function parseHost(text: string): Host | undefined {
  const groups = HOST.exec(text.toLowerCase())?.groups
  return groups?.["name"] === undefined ? undefined : { name: groups["name"], port: groups["port"] }
}

export function isLoopback(host: Host): boolean {
  return LOOPBACK_HOSTS.has(host.name)
}

/** A configured host without a port is served on any port, one with a port on that one only. */
export function guardHost(request: Headed, hosts: readonly string[]): Refusal | undefined {
  const text = request.headers.get("host") ?? ""
  const host = parseHost(text)
  if (host !== undefined && (isLoopback(host) || hosts.some((entry) => isListed(host, entry)))) return undefined
  return {
    status: 421,
    reason: "foreign_host",
    message: "This host is not served here. Add it to PAGESPAN_ALLOWED_HOSTS to change that.",
    sample: `Host ${quoteForMessage(text)}`,
  }
}

function isListed(host: Host, entry: string): boolean {
  const listed = parseHost(entry)
  return listed !== undefined && listed.name === host.name && (listed.port ?? host.port) === host.port
}

/**
 * Which pages may write and which may read. Browsers name the page in `Origin` on every request that could change
 * something and on every cross-origin one that could read; what has no `Origin` is no page, or a page of ours.
 *
 * - Writing: pages on loopback, whatever their port; pages of the host that is asked; origins on the list.
 * - Reading: pages of the host that is asked, nobody else.
 * - `null`, the origin of sandboxed frames and `data:` pages, is foreign: anyone can have it.
 */

export function guardWriteOrigin(request: Headed, origins: readonly string[]): Refusal | undefined {
  return request.headers.get("origin") === null || mayWrite(request, origins) ? undefined : foreign(request)
}

/** Also keeps foreign pages from opening what they cannot read, such as the live feed, for its cost alone. */
export function guardReadOrigin(request: Headed): Refusal | undefined {
  const origin = request.headers.get("origin")
  if (origin !== null) return isOwnOrigin(request, origin) ? undefined : foreign(request)
  const site = request.headers.get("sec-fetch-site")
  const isForeign = site === "cross-site" || site === "same-site"
  return isForeign && request.headers.get("sec-fetch-mode") !== "navigate" ? foreign(request) : undefined
}

/** The page's origin when it may write, for the headers that let it read the answer. */
export function writingOrigin(request: Headed, origins: readonly string[]): string | undefined {
  const origin = request.headers.get("origin")
  return origin !== null && mayWrite(request, origins) ? origin : undefined
}

function mayWrite(request: Headed, origins: readonly string[]): boolean {
  const origin = request.headers.get("origin") ?? ""
  const host = hostOfOrigin(origin)
  if (host === undefined) return false
  return isLoopback(host) || isOwnOrigin(request, origin) || origins.some((entry) => isSameOrigin(entry, origin))
}

/** Compared by host: behind a proxy that ends TLS the scheme is not known here, and the host guard has checked the host. */
function isOwnOrigin(request: Headed, origin: string): boolean {
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

function foreign(request: Headed): Refusal {
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
export function answerPreflight(request: GuardedRequest, policy: GuardPolicy): Response | Refusal | undefined {
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
export function corsHeaders(request: Headed, policy: GuardPolicy): Record<string, string> {
  const origin = writingOrigin(request, policy.origins)
  if (origin === undefined) return { vary: "origin" }
  return {
    vary: "origin",
    "access-control-allow-origin": origin,
    "access-control-expose-headers": "retry-after",
  }
}
