import type { Span, SpanProcessor } from "@opentelemetry/sdk-trace-base"
import type { BuildFacts } from "../routes/build-facts.ts"
import { createRouteMatcher, type RouteMatcher } from "../routes/matcher.ts"
import { isProxyRun } from "../sentry/proxy-run.ts"

const REQUEST_SPAN_TYPE = "BaseServer.handleRequest"

/**
 * Names the roots of what the edge runtime answers. Next runs that apart from its server, whose span of the request never
 * learns the route and is called by its method alone.
 */
export class EdgeRoutes implements SpanProcessor {
  readonly #matcher: RouteMatcher

  constructor({ routes, handlers, basePath }: Pick<BuildFacts, "routes" | "handlers" | "basePath">) {
    this.#matcher = createRouteMatcher([...routes, ...handlers], basePath)
  }

  onStart(): void {}

  onEnding(span: Span): void {
    const { attributes, name } = span
    const method = attributes["http.method"]
    const target = attributes["http.target"]
    if (attributes["next.span_type"] !== REQUEST_SPAN_TYPE || name !== method || isProxyRun(attributes)) return
    if (attributes["http.route"] !== undefined || typeof target !== "string") return
    const route = this.#matcher.matchPath(target.split(/[?#]/, 1)[0] ?? target)
    if (route !== undefined) span.updateName(`${name} ${route}`).setAttribute("http.route", route)
  }

  onEnd(): void {}

  async forceFlush(): Promise<void> {}

  async shutdown(): Promise<void> {}
}
