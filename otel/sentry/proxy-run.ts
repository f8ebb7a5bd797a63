import type { Attributes } from "@opentelemetry/api"

/**
 * Whether a root is the run of `proxy.ts` before a page: Next makes a request of its own for it, leaves that without route
 * and name, and marks it. The page is the root after it.
 */
export function isProxyRun(attributes: Attributes): boolean {
  return attributes["next.bubble"] === true && attributes["next.span_type"] === "BaseServer.handleRequest"
}
