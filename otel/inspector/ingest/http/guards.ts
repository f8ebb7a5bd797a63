import type { Secret } from "../../../protocol/secret.ts"
import type { RequestHead } from "../../../protocol/transport/request.ts"
import { quoteForMessage, type Refusal } from "../../../protocol/transport/responses.ts"
import { guardKey, guardToken, guardViewer, hasActionKey, hasSession } from "./token.ts"

/** Guards need no more of a request than this. */
type GuardedRequest = Pick<RequestHead, "method" | "headers">
type Headed = Pick<RequestHead, "headers">

/**
 * Every handler calls its guard first. Guards are no middleware, because each middleware layer of the framework has been
 * bypassed at least once. They read the method and headers, never the body.
 */
export interface GuardPolicy {
  /** Allowed hosts besides the loopback names. */
  readonly hosts: readonly string[]
  /** Allowed origins of pages that write, besides those on loopback. */
  readonly origins: readonly string[]
  /** When set, every request needs it. */
  readonly token: Secret | undefined
}

/** Guards the ingest endpoints. */
export function guardWrite(request: GuardedRequest, policy: GuardPolicy): Refusal | undefined {
  return guardSender(request, policy) ?? guardActor(request, policy.token)
}

/** Guards ingest endpoints whose clients authenticate by other means than `Authorization`: Sentry's SDKs send a key. */
export function guardSender(request: GuardedRequest, policy: GuardPolicy): Refusal | undefined {
  return guardMethod(request, "POST") ?? guardHost(request, policy.hosts) ?? guardWriteOrigin(request, policy.origins)
}

/** Guards ingest endpoints whose clients send the public key of a DSN in the query or a header. */
export function guardKeyHolder(request: RequestHead, policy: GuardPolicy): Refusal | undefined {
  return guardSender(request, policy) ?? guardKey(request, policy.token, undefined)
}

/** Guards endpoints that change or delete data. Pages of other origins are refused, even those that may write. */
export function guardAction(
  request: GuardedRequest,
  policy: GuardPolicy,
  method: "DELETE" | "POST" | "PUT",
): Refusal | undefined {
  return (
    guardMethod(request, method) ??
    guardHost(request, policy.hosts) ??
    guardReadOrigin(request) ??
    guardActor(request, policy.token)
  )
}

/**
 * Guards what changes data: programs send the token, the inspector's own pages their session and the key that only their
 * origin has. The session alone does not do, because every server on the same host receives the cookie.
 */
function guardActor(request: Headed, token: Secret | undefined): Refusal | undefined {
  if (token === undefined || !hasSession(request, token)) return guardToken(request, token)
  const isOwnPage = isOwnOrigin(request, request.headers.get("origin") ?? "")
  if (isOwnPage && hasActionKey(request, token)) return undefined
  return guardToken(request, token) && READ_ONLY_SESSION
}

const READ_ONLY_SESSION: Refusal = {
  status: 401,
  reason: "unauthorized",
  message: "This session can only read. Sign in again at /sign-in to change data.",
}

/** Guards the read API, the screens and the live feed. */
export function guardRead(request: GuardedRequest, policy: GuardPolicy): Refusal | undefined {
  return guardPublicRead(request, policy) ?? guardViewer(request, policy.token)
}

/** Guards what a page of this host may request without a token: the sign-in page. */
export function guardScreen(
  request: GuardedRequest,
  policy: GuardPolicy,
  ...methods: readonly string[]
): Refusal | undefined {
  return guardMethod(request, ...methods) ?? guardHost(request, policy.hosts) ?? guardReadOrigin(request)
}

/** Guards the health report, which load balancers read without a token. It shows no record. */
export function guardPublicRead(request: GuardedRequest, policy: GuardPolicy): Refusal | undefined {
  return guardScreen(request, policy, "GET", "HEAD")
}

function guardMethod(request: Pick<RequestHead, "method">, ...methods: readonly string[]): Refusal | undefined {
  if (methods.includes(request.method)) return undefined
  const allow = methods.join(", ")
  return { status: 405, reason: "malformed", message: `Method not allowed: use ${allow}.`, headers: { allow } }
}

/**
 * Only hosts on an exact list are allowed. A page on another site can point its own name at this machine (DNS rebinding)
 * and would then be same-origin, but the `Host` header carries that name. Other spellings of loopback (`127.1`,
 * `0x7f000001`, `localhost.`) are not on the list, so they are refused.
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

/** A configured host without a port is allowed on any port, one with a port on that port only. */
export function guardHost(request: Headed, hosts: readonly string[]): Refusal | undefined {
  const text = request.headers.get("host") ?? ""
  const host = parseHost(text)
  if (host !== undefined && (isLoopback(host) || hosts.some((entry) => isListed(host, entry)))) return undefined
  return {
    status: 421,
    reason: "foreign_host",
    message: "Unauthorized host. Add it to PAGESPAN_ALLOWED_HOSTS to allow it.",
    sample: `Host ${quoteForMessage(text)}`,
  }
}

function isListed(host: Host, entry: string): boolean {
  const listed = parseHost(entry)
  return listed !== undefined && listed.name === host.name && (listed.port ?? host.port) === host.port
}

/**
 * Which pages may write and which may read. Browsers send `Origin` with every request that can change data and with
 * every cross-origin request that can read it. A request without `Origin` comes from a program, or from a page of this
 * host.
 *
 * - Write: pages on loopback, whatever their port; pages of the requested host; origins on the list.
 * - Read: pages of the requested host only.
 * - `null`, the opaque origin of sandboxed frames and `data:` pages, is refused: any page can have it.
 */

export function guardWriteOrigin(request: Headed, origins: readonly string[]): Refusal | undefined {
  return request.headers.get("origin") === null || mayWrite(request, origins) ? undefined : foreign(request)
}

/** Also refuses requests of other sites whose responses they could not read, such as the live feed, to save their cost. */
export function guardReadOrigin(request: Headed): Refusal | undefined {
  const origin = request.headers.get("origin")
  if (origin !== null) return isOwnOrigin(request, origin) ? undefined : foreign(request)
  const site = request.headers.get("sec-fetch-site")
  const isForeign = site === "cross-site" || site === "same-site"
  return isForeign && request.headers.get("sec-fetch-mode") !== "navigate" ? foreign(request) : undefined
}

/** The page's origin when it may write. */
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

/** Compares hosts alone: behind a proxy that terminates TLS the scheme is unknown. The host guard has checked the host. */
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
    message: "Unauthorized origin. Add it to PAGESPAN_ALLOWED_ORIGINS to let its pages write.",
    sample: origin === null ? "a page of another site" : `Origin ${quoteForMessage(origin)}`,
  }
}

/**
 * All request headers: exporters of vendors send keys under names of their own, such as `x-honeycomb-team`. The names of the others are for
 * browsers that know no `*`, which covers all but `authorization`.
 *
 * @see https://fetch.spec.whatwg.org/#http-access-control-allow-headers
 */
const ALLOWED_HEADERS =
  "*, authorization, baggage, content-encoding, content-type, sentry-trace, traceparent, tracestate, x-sentry-auth"
/** Two hours, the longest that Chromium caches a preflight. */
const MAX_AGE_SECONDS = 7_200

/**
 * Answers the preflight of a page that may write, and refuses other preflights. `undefined` for any other request.
 * Endpoints that return records answer no preflight.
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

/** Lets a page that may write read the response: the outcome, and when to retry. */
export function corsHeaders(request: Headed, policy: GuardPolicy): Record<string, string> {
  const origin = writingOrigin(request, policy.origins)
  if (origin === undefined) return { vary: "origin" }
  return {
    vary: "origin",
    "access-control-allow-origin": origin,
    "access-control-expose-headers": "retry-after",
  }
}
