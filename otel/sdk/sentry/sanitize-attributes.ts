import type { Attributes, AttributeValue } from "@opentelemetry/api"
import { FILTERED, isSecretKey, redactAddress, redactText } from "../../protocol/redact.ts"

/** Headers of a request or an answer that may be told. An allow-list: a deny-list forgets. */
const told = new Set(["accept", "accept-language", "content-length", "content-type", "host", "referer", "user-agent"])

const HEADER_ATTRIBUTE = /^http\.(?:request|response)\.header\.(.+)$/

/** Adds what an app wants to be told besides; once, before anything is. @param names in lower case. */
export function setRecordedHeaders(names: readonly string[]): void {
  for (const name of names) told.add(name)
}

export function recordedHeaders(): string[] {
  return [...told]
}

/** Whether an attribute may be told as far as headers go. OpenTelemetry keeps dashes in the name, Sentry has underscores. */
export function isRecorded(attribute: string): boolean {
  const header = HEADER_ATTRIBUTE.exec(attribute)?.[1]
  return header === undefined || told.has(header.toLowerCase().replaceAll("_", "-"))
}

/** Who asked, and what they asked with: nobody needs it to read a trace. */
const UNTOLD: ReadonlySet<string> = new Set([
  "client.address",
  "http.client_ip",
  "http.query",
  "http.fragment",
  "net.peer.ip",
  "net.sock.peer.addr",
  "network.peer.address",
  "url.fragment",
  "url.query",
])

/** `url`, `from` and `to` are what Sentry's breadcrumbs call addresses. */
const ADDRESS =
  /^(?:url(?:\.|$)|from$|to$|http\.(?:url|target|route)$|next\.|sentry\.description$|navigation\.|code\.|exception\.[ms])/

/**
 * Attributes without what the outside must not see.
 *
 * @returns `removed`: how many were left out.
 */
export function sanitizeAttributes(given: Attributes): { readonly attributes: Attributes; readonly removed: number } {
  const attributes: Attributes = {}
  let removed = 0
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined) continue
    if ((UNTOLD.has(key) && !isAllowed(key, given)) || !isRecorded(key)) removed += 1
    else attributes[key] = isSecretKey(key) ? FILTERED : cleanValue(key, value)
  }
  return { attributes, removed }
}

/** A page's tracer tells of a query what the app has named, and nothing else. */
function isAllowed(key: string, given: Attributes): boolean {
  return key === "url.query" && String(given["sentry.origin"]).endsWith(".pagespan")
}

function cleanValue(key: string, value: AttributeValue): AttributeValue {
  const clean = ADDRESS.test(key) ? redactAddress : redactText
  if (typeof value === "string") return clean(value)
  if (!Array.isArray(value)) return value
  return value.map((element) => (typeof element === "string" ? clean(element) : element)) as AttributeValue
}

/**
 * Attributes as they leave: names of the stable semantic conventions beside the old ones that Next and older
 * instrumentations write, and nothing that the outside must not see. An old name stays, so that what was built on it
 * goes on working.
 *
 * @see https://opentelemetry.io/docs/specs/semconv/http/migration-guide/
 */
const RENAMED: readonly (readonly [old: string, stable: string])[] = [
  ["http.method", "http.request.method"],
  ["http.status_code", "http.response.status_code"],
  ["http.url", "url.full"],
  ["http.target", "url.path"],
  ["http.scheme", "url.scheme"],
  ["http.host", "server.address"],
  ["http.server_name", "server.address"],
  ["net.host.name", "server.address"],
  ["net.host.port", "server.port"],
  ["net.peer.name", "server.address"],
  ["net.peer.port", "server.port"],
  ["http.flavor", "network.protocol.version"],
  ["http.user_agent", "user_agent.original"],
  ["http.request_content_length", "http.request.body.size"],
  ["http.response_content_length", "http.response.body.size"],
  ["db.system", "db.system.name"],
  ["db.name", "db.namespace"],
  ["db.operation", "db.operation.name"],
  ["db.statement", "db.query.text"],
  ["messaging.destination", "messaging.destination.name"],
]

/** Cleaned and named. @returns `removed`: how many attributes were left out. */
export function sanitizeOutgoing(given: Attributes): { readonly attributes: Attributes; readonly removed: number } {
  const { attributes, removed } = sanitizeAttributes(given)
  for (const [old, stable] of RENAMED) {
    const value = attributes[old]
    if (value !== undefined) attributes[stable] ??= value
  }
  return { attributes, removed }
}
