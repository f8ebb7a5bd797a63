import { createHmac } from "node:crypto"
import type { Secret } from "../../model/secret.ts"
import type { DoorRequest } from "../door-request.ts"
import { isEqualInConstantTime } from "../constant-time.ts"

/**
 * Who has shown the token once keeps a cookie instead of it: pages cannot send `Authorization`. Its value is made from the
 * token and is not the token, so that what reads it (another server on the same host gets it too) cannot write with it. A
 * new token ends every session.
 */
const COOKIE = "pagespan_session"
const MAX_AGE_SECONDS = 30 * 24 * 60 * 60

export function hasSession({ headers }: Pick<DoorRequest, "headers">, token: Secret): boolean {
  const cookies = (headers.get("cookie") ?? "").split(";").map((pair) => pair.trim())
  const cookie = cookies.find((pair) => pair.startsWith(`${COOKIE}=`))
  return cookie !== undefined && isEqualInConstantTime(cookie.slice(COOKIE.length + 1), sessionValue(token))
}

/** `Set-Cookie` for somebody who has shown the token. No script reads it, and no other site's page sends it. */
export function sessionCookie({ headers }: Pick<DoorRequest, "headers">, token: Secret): string {
  // Behind a proxy that ends TLS. Who lies here makes only his own cookie stricter.
  const secure = headers.get("x-forwarded-proto")?.startsWith("https") === true ? "; Secure" : ""
  return `${COOKIE}=${sessionValue(token)}; Path=/; Max-Age=${MAX_AGE_SECONDS}; HttpOnly; SameSite=Strict${secure}`
}

function sessionValue(token: Secret): string {
  return createHmac("sha256", token.reveal()).update("pagespan session").digest("hex")
}
