/**
 * Whether a request comes from a page of the host that it asks. Browsers name the page in `Origin` on every `POST`;
 * what has none is no page. `null`, the origin of sandboxed frames, is foreign: anyone can have it. Compared by host:
 * behind a proxy that ends TLS the scheme is not known here.
 */
export function isSameOrigin(request: Request): boolean {
  const origin = request.headers.get("origin")
  if (origin === null) return request.headers.get("sec-fetch-site") !== "cross-site"
  const host = request.headers.get("x-forwarded-host") ?? request.headers.get("host")
  return URL.canParse(origin) && new URL(origin).host === host
}
