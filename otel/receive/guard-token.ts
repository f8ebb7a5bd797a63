import type { DoorRequest } from "./door-request.ts"
import { isEqualInConstantTime } from "./constant-time.ts"
import type { Secret } from "../model/secret.ts"
import type { Refusal } from "./refusal.ts"
import { hasSession } from "./session/session.ts"

const BEARER = /^Bearer +(?<token>[\w.~+/=-]+)$/i

export function guardToken(request: Pick<DoorRequest, "headers">, token: Secret | undefined): Refusal | undefined {
  if (token === undefined) return undefined
  const presented = BEARER.exec(request.headers.get("authorization") ?? "")?.groups?.["token"]
  if (presented !== undefined && isEqualInConstantTime(presented, token.reveal())) return undefined
  return NOT_SIGNED_IN
}

/** For what shows records: programs send the token, browsers the session that they got for it. */
export function guardViewer(request: Pick<DoorRequest, "headers">, token: Secret | undefined): Refusal | undefined {
  if (token === undefined || hasSession(request, token)) return undefined
  return guardToken(request, token)
}

export const NOT_SIGNED_IN: Refusal = {
  status: 401,
  reason: "unauthorized",
  message: "A token is needed here: send PAGESPAN_TOKEN's value as Authorization: Bearer.",
  headers: { "www-authenticate": 'Bearer realm="pagespan"' },
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
