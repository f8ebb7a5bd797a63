import type { Attributes, AttributeValue } from "@opentelemetry/api"
import { FILTERED, isSecretKey, scrubAddress, scrubText } from "./scrub.ts"
import { isTold } from "./told-headers.ts"

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
export function cleanAttributes(given: Attributes): { readonly attributes: Attributes; readonly removed: number } {
  const attributes: Attributes = {}
  let removed = 0
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined) continue
    if ((UNTOLD.has(key) && !isAllowed(key, given)) || !isTold(key)) removed += 1
    else attributes[key] = isSecretKey(key) ? FILTERED : cleanValue(key, value)
  }
  return { attributes, removed }
}

/** A page's tracer tells of a query what the app has named, and nothing else. */
function isAllowed(key: string, given: Attributes): boolean {
  return key === "url.query" && String(given["sentry.origin"]).endsWith(".pagespan")
}

function cleanValue(key: string, value: AttributeValue): AttributeValue {
  const clean = ADDRESS.test(key) ? scrubAddress : scrubText
  if (typeof value === "string") return clean(value)
  if (!Array.isArray(value)) return value
  return value.map((element) => (typeof element === "string" ? clean(element) : element)) as AttributeValue
}
