import { createHash, createHmac, timingSafeEqual } from "node:crypto"
import type { Secret } from "../../../protocol/secret.ts"
import type { RequestHead } from "../../../protocol/transport/request.ts"
import type { Refusal } from "../../../protocol/transport/responses.ts"
import { ACTION_HEADER } from "../../queries/action-key.ts"

/** Compares digests, which have equal length, so that the time reveals neither content nor length. */
export function isEqualInConstantTime(presented: string, expected: string): boolean {
  return timingSafeEqual(digest(presented), digest(expected))
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest()
}

/**
 * A browser that presented the token gets a session cookie, because navigations cannot send `Authorization`. The value
 * derives from the token but is not the token: another server on the same host receives the cookie too, and can only read
 * with it. A new token ends every session.
 */
const COOKIE = "pagespan_session"
const MAX_AGE_SECONDS = 30 * 24 * 60 * 60

export function hasSession({ headers }: Pick<RequestHead, "headers">, token: Secret): boolean {
  const cookies = (headers.get("cookie") ?? "").split(";").map((pair) => pair.trim())
  const cookie = cookies.find((pair) => pair.startsWith(`${COOKIE}=`))
  return cookie !== undefined && isEqualInConstantTime(cookie.slice(COOKIE.length + 1), sessionValue(token))
}

/** `Set-Cookie` for a client that presented the token. Scripts cannot read it, and other sites do not send it. */
export function sessionCookie({ headers }: Pick<RequestHead, "headers">, token: Secret): string {
  // Set by a proxy that terminates TLS. A false value only makes the client's own cookie stricter.
  const secure = headers.get("x-forwarded-proto")?.startsWith("https") === true ? "; Secure" : ""
  return `${COOKIE}=${sessionValue(token)}; Path=/; Max-Age=${MAX_AGE_SECONDS}; HttpOnly; SameSite=Strict${secure}`
}

function sessionValue(token: Secret): string {
  return derived(token, "pagespan session")
}

/** The key of a browser that presented the token, without which its session can only read. */
export function actionKey(token: Secret): string {
  return derived(token, "pagespan action")
}

export function hasActionKey({ headers }: Pick<RequestHead, "headers">, token: Secret): boolean {
  const key = headers.get(ACTION_HEADER)
  return key !== null && isEqualInConstantTime(key, actionKey(token))
}

function derived(token: Secret, purpose: string): string {
  return createHmac("sha256", token.reveal()).update(purpose).digest("hex")
}

const BEARER = /^Bearer +(?<token>[\w.~+/=-]+)$/i
/** A value that a client can send as a bearer token ([RFC 6750](https://www.rfc-editor.org/rfc/rfc6750#section-2.1)). */
export const TOKEN_FORM = /^[\w.~+/=-]+$/

export function guardToken(request: Pick<RequestHead, "headers">, token: Secret | undefined): Refusal | undefined {
  if (token === undefined) return undefined
  const presented = BEARER.exec(request.headers.get("authorization") ?? "")?.groups?.["token"]
  if (presented !== undefined && isEqualInConstantTime(presented, token.reveal())) return undefined
  return NOT_SIGNED_IN
}

/** Guards records: programs send the token, browsers their session. */
export function guardViewer(request: Pick<RequestHead, "headers">, token: Secret | undefined): Refusal | undefined {
  if (token === undefined || hasSession(request, token)) return undefined
  return guardToken(request, token)
}

export const NOT_SIGNED_IN: Refusal = {
  status: 401,
  reason: "unauthorized",
  message: "Unauthorized: send the value of PAGESPAN_TOKEN as Authorization: Bearer.",
  headers: { "www-authenticate": 'Bearer realm="pagespan"' },
}

/**
 * Guards clients with a DSN. The public key is the token: in the query, in `X-Sentry-Auth`, or in the envelope's DSN.
 * Without a configured token, every key passes, and so does none.
 */
export function guardKey(
  request: Pick<RequestHead, "url" | "headers">,
  token: Secret | undefined,
  dsn: string | undefined,
): Refusal | undefined {
  if (token === undefined || guardToken(request, token) === undefined) return undefined
  const keys = [keyInQuery(request), SENTRY_KEY.exec(request.headers.get("x-sentry-auth") ?? "")?.[1], keyOfDsn(dsn)]
  if (keys.some((key) => key !== undefined && isEqualInConstantTime(key, token.reveal()))) return undefined
  return {
    status: 401,
    reason: "unauthorized",
    message: "Unauthorized: use the value of PAGESPAN_TOKEN as the public key of the DSN.",
  }
}

const SENTRY_KEY = /(?:^|[\s,])sentry_key=([^\s,]+)/

function keyInQuery(request: Pick<RequestHead, "url" | "headers">): string | undefined {
  return new URL(request.url).searchParams.get("sentry_key") ?? undefined
}

function keyOfDsn(dsn: string | undefined): string | undefined {
  return dsn !== undefined && URL.canParse(dsn) ? new URL(dsn).username : undefined
}
