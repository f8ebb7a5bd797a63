import { PAGE_DROPS_HEADER, PAGE_RETRY_HEADER } from "../page-drops.ts"

/**
 * Which pages may use the tunnel: those of its own host, and those of the origins in `PAGESPAN_TUNNEL_ORIGINS`, such as an app
 * that is exported as files and served elsewhere. A browser asks before it sends from one of those, because deliveries carry
 * headers of their own, and shows a page no response without `access-control-allow-origin`. Deliveries carry no cookies, so no
 * response allows credentials.
 *
 * @see https://fetch.spec.whatwg.org/#http-cors-protocol
 */

/** Seconds for which a browser may remember a preflight: Chromium's maximum. A page that is left has no time for another one. */
const PREFLIGHT_MAX_AGE_S = 7_200

const PREFLIGHT_HEADERS = {
  "access-control-allow-methods": "POST",
  "access-control-allow-headers": ["content-encoding", "content-type", PAGE_DROPS_HEADER, PAGE_RETRY_HEADER].join(", "),
  "access-control-max-age": String(PREFLIGHT_MAX_AGE_S),
} as const

/** What a page of another origin needs to read of a response, besides its status. */
const EXPOSED_HEADERS = "retry-after, x-sentry-rate-limits"

/** The origin of the page that sends a request, if it is a listed one. */
export function listedOrigin(request: Request, listed: readonly string[]): string | undefined {
  const origin = request.headers.get("origin")
  return origin !== null && listed.includes(origin) ? origin : undefined
}

/** Adds to a response what its page needs to read it. */
export function readableBy(origin: string, response: Response): Response {
  response.headers.set("access-control-allow-origin", origin)
  response.headers.set("access-control-expose-headers", EXPOSED_HEADERS)
  response.headers.append("vary", "origin")
  return response
}

/** The answer to the question of a browser whether a page of a listed origin may send. */
export function preflightResponse(): Response {
  return new Response(null, { status: 204, headers: PREFLIGHT_HEADERS })
}

/**
 * Whether a request comes from a page of the requested host. Browsers send `Origin` with every `POST`; a request without it
 * does not come from a page. `null`, the origin of sandboxed frames, is foreign: any site can have it. Only the hosts are
 * compared, because behind a proxy that terminates TLS the scheme is unknown. A proxy may append to `X-Forwarded-Host`, and
 * may name the default port.
 */
export function isSameOrigin(request: Request): boolean {
  const origin = request.headers.get("origin")
  if (origin === null) return request.headers.get("sec-fetch-site") !== "cross-site"
  const [forwarded] = (request.headers.get("x-forwarded-host") ?? "").split(",", 1)
  const host = forwarded?.trim() || request.headers.get("host")
  if (host === null || !URL.canParse(origin)) return false
  const page = new URL(origin)
  // The URL of the same scheme drops its default port.
  const requested = `${page.protocol}//${host}`
  return URL.canParse(requested) && new URL(requested).host === page.host
}
