import type { HandlerRequest } from "../../../protocol/transport/request.ts"
import { quoteForMessage, type Refusal } from "../../../protocol/transport/responses.ts"

/**
 * Only hosts on an exact list are served. A page on another site can point a name of its own at this machine (DNS
 * rebinding) and would then count as the same origin; the `Host` header still carries that name. Address forms that a
 * resolver would take for loopback (`127.1`, `0x7f000001`, `localhost.`) are not on the list, so they are refused.
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

/** A configured host without a port is served on any port, one with a port on that one only. */
export function guardHost(request: HandlerRequest, hosts: readonly string[]): Refusal | undefined {
  const text = request.headers.get("host") ?? ""
  const host = parseHost(text)
  if (host !== undefined && (isLoopback(host) || hosts.some((entry) => isListed(host, entry)))) return undefined
  return {
    status: 421,
    reason: "foreign_host",
    message: "This host is not served here. Add it to PAGESPAN_ALLOWED_HOSTS to change that.",
    sample: `Host ${quoteForMessage(text)}`,
  }
}

function isListed(host: Host, entry: string): boolean {
  const listed = parseHost(entry)
  return listed !== undefined && listed.name === host.name && (listed.port ?? host.port) === host.port
}
