import type { Attributes, AttributeValue } from "@opentelemetry/api"
import type { SpanRedaction } from "../../protocol/otlp/format-spans.ts"
import { redactAddress, redactAttribute } from "../../protocol/redact.ts"
import { processState } from "../process-state.ts"
import { withoutLiterals } from "./query-text.ts"

/** Headers of requests and responses that spans record. An allow-list: a new credential header is excluded without a change. */
const DEFAULT_HEADERS = ["accept", "accept-language", "content-length", "content-type", "host", "referer", "user-agent"]

const HEADER_ATTRIBUTE = /^http\.(?:request|response)\.header\.(.+)$/

/** Headers that the app records besides the default ones. */
const configured = /* @__PURE__ */ processState<readonly string[]>("recorded-headers")

/** Sets the headers to record besides the default ones. `register()` calls it once. @param names in lower case. */
export function setRecordedHeaders(names: readonly string[]): void {
  configured.value = names
}

/** Names of all recorded headers, in lower case. */
export function recordedHeaders(): string[] {
  return [...new Set([...DEFAULT_HEADERS, ...(configured.value ?? [])])]
}

/** Whether an attribute is no header, or a recorded one. OpenTelemetry keeps dashes in header names, Sentry uses underscores. */
function isRecorded(attribute: string): boolean {
  const header = HEADER_ATTRIBUTE.exec(attribute)?.[1]?.toLowerCase().replaceAll("_", "-")
  return header === undefined || DEFAULT_HEADERS.includes(header) || configured.value?.includes(header) === true
}

/** Client addresses and query strings: always removed. */
const ALWAYS_REMOVED: ReadonlySet<string> = new Set([
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

/**
 * Removes client addresses, query strings and unlisted headers, and redacts secrets in the other attributes.
 *
 * @param redact makes of a value what leaves the process. Default: `redactValue`.
 * @returns `removed`: the number of removed attributes.
 */
export function sanitizeAttributes(given: Attributes, redact = redactValue): SanitizedAttributes {
  const attributes: Attributes = {}
  let removed = 0
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined) continue
    if ((ALWAYS_REMOVED.has(key) && !isPageQuery(key, given)) || !isRecorded(key)) removed += 1
    else attributes[key] = redact(key, value)
  }
  return { attributes, removed }
}

export interface SanitizedAttributes {
  readonly attributes: Attributes
  /** The number of removed attributes. */
  readonly removed: number
}

/** Redacts the spans that a page sends. */
export const spanRedaction: SpanRedaction = {
  text: redactAddress,
  attributes: (attributes) => sanitizeAttributes(attributes).attributes,
}

/** Our page tracer records only the query parameters that the app lists in `queryParameters`. */
function isPageQuery(key: string, given: Attributes): boolean {
  return key === "url.query" && String(given["sentry.origin"]).endsWith(".pagespan")
}

/** @param value may hold objects: Sentry's breadcrumbs do. */
export function redactValue(key: string, value: AttributeValue): AttributeValue {
  if (Array.isArray(value)) return value.map((each) => redactValue(key, each as AttributeValue)) as AttributeValue
  const redacted: unknown = redactAttribute(key, value)
  return (typeof redacted === "object" && redacted ? redactObject(redacted) : redacted) as AttributeValue
}

/** Redacts a tree of plain objects and arrays. */
export function redactObject<Tree extends object>(tree: Tree): Tree {
  return sanitizeAttributes(tree as Attributes).attributes as Tree
}

/**
 * Deprecated attribute names, which Next and older instrumentations write, with their stable equivalents.
 *
 * @see https://opentelemetry.io/docs/specs/semconv/http/migration-guide/
 */
const RENAMED: readonly (readonly [deprecated: string, stable: string])[] = [
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

/**
 * Sanitizes attributes, with `?` for the literals in queries of databases, and adds the stable name of each deprecated one. The
 * deprecated name stays, so that queries built on it continue to work.
 *
 * @returns `removed`: the number of removed attributes.
 */
export function sanitizeOutgoing(given: Attributes, redact = redactValue): SanitizedAttributes {
  const { attributes, removed } = sanitizeAttributes(withoutLiterals(given), redact)
  for (const [deprecated, stable] of RENAMED) {
    const value = attributes[deprecated]
    if (value !== undefined) attributes[stable] ??= value
  }
  return { attributes, removed }
}
