import type { Attributes } from "@opentelemetry/api"
import { cleanAttributes } from "./clean-attributes.ts"

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
export function outgoingAttributes(given: Attributes): { readonly attributes: Attributes; readonly removed: number } {
  const { attributes, removed } = cleanAttributes(given)
  for (const [old, stable] of RENAMED) {
    const value = attributes[old]
    if (value !== undefined) attributes[stable] ??= value
  }
  return { attributes, removed }
}
