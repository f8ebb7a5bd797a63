import { createHash, timingSafeEqual } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"

/** Whether the request presents the token, as ClickHouse's password: in `Authorization: Basic` or in `X-ClickHouse-Key`. */
export function isAuthenticated(headers: IncomingHttpHeaders, token: string): boolean {
  const given = passwordOf(headers)
  // Hashed first, so that the comparison takes the same time for every length and content.
  return given !== undefined && timingSafeEqual(digest(given), digest(token))
}

function passwordOf(headers: IncomingHttpHeaders): string | undefined {
  const key = headers["x-clickhouse-key"]
  if (typeof key === "string") return key
  const basic = /^Basic (\S+)$/i.exec(headers.authorization ?? "")?.[1]
  if (basic === undefined) return undefined
  const pair = Buffer.from(basic, "base64").toString("utf8")
  return pair.slice(pair.indexOf(":") + 1)
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest()
}
