import type { DoorRequest } from "./door-request.ts"
import { type Host, isLoopback, parseHost } from "./guard-host.ts"
import { quoteForMessage, type Refusal } from "./refusal.ts"

/**
 * Which pages may write and which may read. Browsers name the page in `Origin` on every request that could change
 * something and on every cross-origin one that could read; what has no `Origin` is no page, or a page of ours.
 *
 * - Writing: pages on loopback, whatever their port; pages of the host that is asked; origins on the list.
 * - Reading: pages of the host that is asked, nobody else.
 * - `null`, the origin of sandboxed frames and `data:` pages, is foreign: anyone can have it.
 */

export function guardWriteOrigin(request: DoorRequest, origins: readonly string[]): Refusal | undefined {
  return request.headers.get("origin") === null || mayWrite(request, origins) ? undefined : foreign(request)
}

/** Also keeps foreign pages from opening what they cannot read, such as the live feed, for its cost alone. */
export function guardReadOrigin(request: DoorRequest): Refusal | undefined {
  const origin = request.headers.get("origin")
  if (origin !== null) return isOwnOrigin(request, origin) ? undefined : foreign(request)
  const site = request.headers.get("sec-fetch-site")
  const isForeign = site === "cross-site" || site === "same-site"
  return isForeign && request.headers.get("sec-fetch-mode") !== "navigate" ? foreign(request) : undefined
}

/** The page's origin when it may write, for the headers that let it read the answer. */
export function writingOrigin(request: DoorRequest, origins: readonly string[]): string | undefined {
  const origin = request.headers.get("origin")
  return origin !== null && mayWrite(request, origins) ? origin : undefined
}

function mayWrite(request: DoorRequest, origins: readonly string[]): boolean {
  const origin = request.headers.get("origin") ?? ""
  const host = hostOfOrigin(origin)
  if (host === undefined) return false
  return isLoopback(host) || isOwnOrigin(request, origin) || origins.some((entry) => isSameOrigin(entry, origin))
}

/** Compared by host: behind a proxy that ends TLS the scheme is not known here, and the host guard has checked the host. */
function isOwnOrigin(request: DoorRequest, origin: string): boolean {
  const host = hostOfOrigin(origin)
  const own = parseHost(request.headers.get("host") ?? "")
  return host !== undefined && own !== undefined && host.name === own.name && host.port === own.port
}

const SCHEME = /^https?:\/\//i

function hostOfOrigin(origin: string): Host | undefined {
  return SCHEME.test(origin) ? parseHost(origin.replace(SCHEME, "")) : undefined
}

function isSameOrigin(entry: string, origin: string): boolean {
  return entry.replace(/\/$/, "").toLowerCase() === origin.toLowerCase()
}

function foreign(request: DoorRequest): Refusal {
  const origin = request.headers.get("origin")
  return {
    status: 403,
    reason: "foreign_origin",
    message: "This origin may not use this address. Add it to PAGESPAN_ALLOWED_ORIGINS to let its pages write.",
    sample: origin === null ? "a page of another site" : `Origin ${quoteForMessage(origin)}`,
  }
}
