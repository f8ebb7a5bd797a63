import type { DoorRequest } from "./door-request.ts"
import { createHash, timingSafeEqual } from "node:crypto"
import type { Secret } from "../model/secret.ts"
import type { Refusal } from "./refusal.ts"

const BEARER = /^Bearer +(?<token>[\w.~+/=-]+)$/i

export function guardToken(request: DoorRequest, token: Secret | undefined): Refusal | undefined {
  if (token === undefined) return undefined
  const presented = BEARER.exec(request.headers.get("authorization") ?? "")?.groups?.["token"]
  if (presented !== undefined && isEqualInConstantTime(presented, token.reveal())) return undefined
  return {
    status: 401,
    reason: "unauthorized",
    message: "A token is needed here: send PAGESPAN_TOKEN's value as Authorization: Bearer.",
    headers: { "www-authenticate": 'Bearer realm="pagespan"' },
  }
}

/**
 * For senders with a DSN: its public key is the token, in the query, in `X-Sentry-Auth` or in the DSN of the envelope.
 * Where no token is asked for, any key will do, and none.
 */
export function guardKey(
  request: DoorRequest,
  token: Secret | undefined,
  dsn: string | undefined,
): Refusal | undefined {
  if (token === undefined || guardToken(request, token) === undefined) return undefined
  const keys = [keyInQuery(request), SENTRY_KEY.exec(request.headers.get("x-sentry-auth") ?? "")?.[1], keyOfDsn(dsn)]
  if (keys.some((key) => key !== undefined && isEqualInConstantTime(key, token.reveal()))) return undefined
  return {
    status: 401,
    reason: "unauthorized",
    message: "A key is needed here: use PAGESPAN_TOKEN's value as the public key of the DSN.",
  }
}

const SENTRY_KEY = /(?:^|[\s,])sentry_key=([^\s,]+)/

function keyInQuery(request: DoorRequest): string | undefined {
  return new URL(request.url).searchParams.get("sentry_key") ?? undefined
}

function keyOfDsn(dsn: string | undefined): string | undefined {
  return dsn !== undefined && URL.canParse(dsn) ? new URL(dsn).username : undefined
}

/** Digests have the same length whatever was presented, so that neither content nor length shows in the time taken. */
function isEqualInConstantTime(presented: string, expected: string): boolean {
  return timingSafeEqual(digest(presented), digest(expected))
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest()
}
