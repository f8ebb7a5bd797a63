/** Next's request headers that say what a fetch of the router is for. */
const PREFETCH_HEADERS = ["next-router-prefetch", "next-router-segment-prefetch"]
const RSC_HEADER = "rsc"
const ACTION_HEADER = "next-action"

/** What a request is for: the router's own (a page's data, a server action, a prefetch) or the app's. */
export type RequestKind = "rsc" | "action" | "prefetch" | "api"

export function requestKind(headers: Headers): RequestKind {
  if (PREFETCH_HEADERS.some((name) => headers.has(name))) return "prefetch"
  if (headers.has(ACTION_HEADER)) return "action"
  return headers.has(RSC_HEADER) ? "rsc" : "api"
}
