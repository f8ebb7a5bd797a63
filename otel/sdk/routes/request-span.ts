import type { Attributes } from "@opentelemetry/api"
import { routeOf } from "./route-of-file.ts"

const REQUEST = "BaseServer.handleRequest"

/** Whether a span is a request that Next's server handles. */
export function isRequestSpan(attributes: Attributes): boolean {
  return attributes["next.span_type"] === REQUEST
}

/**
 * Whether a root is the run of `proxy.ts` before a page. Next creates a separate request span for it, without route and
 * name, and marks it, or gives it a type of its own where a host runs `proxy.ts` apart from the server. The page's own root
 * follows.
 */
export function isProxyRun(attributes: Attributes): boolean {
  return (
    attributes["next.span_type"] === "Next.request" || (attributes["next.bubble"] === true && isRequestSpan(attributes))
  )
}

/**
 * What precedes the route in the name of a request: `GET`, or `RSC GET` for the data of a page. A request without a route is
 * named by this alone, but Next before 16 adds its URL.
 */
export function methodOf(name: string): string {
  return name.replace(/ \/.*$/s, "")
}

/** The name of a span of Next's server, with the route in place of its file's path, which Next before 16 puts there. */
export function nameWithRoute(name: string, { "next.route": path }: Attributes): string {
  return typeof path === "string" ? name.replace(path, () => routeOf(path)) : name
}
