import { SpanKind } from "@opentelemetry/api"
import type { ReadableSpan, SpanProcessor } from "@opentelemetry/sdk-trace-base"
import { NOT_FOUND_ROUTE } from "../../filters.ts"
import { processState } from "../../process-state.ts"
import { isRequestSpan, methodOf } from "../../routes/request-span.ts"
import { routeOf } from "../../routes/route-of-file.ts"
import { spansAbove } from "./failed-steps.ts"

const state = processState<WeakMap<object, string>>("outer-requests")

/**
 * Finds the routes of spans above Next's steps, which know them and end before the response does: of the request of an HTTP
 * instrumentation of the app, which knows no routes, and of Next's own request that ends with a prerendered 404 page, which has none.
 */
export class OuterRequests implements SpanProcessor {
  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    const route = span.attributes["next.route"]
    if (typeof route !== "string") return
    for (const above of spansAbove(span)) {
      const { attributes, kind } = above as unknown as ReadableSpan
      const isOuter = attributes["next.span_type"] === undefined && kind === SpanKind.SERVER
      if (isOuter || (route === NOT_FOUND_ROUTE && isRequestSpan(attributes)))
        (state.value ??= new WeakMap()).set(above, routeOf(route))
    }
  }

  async forceFlush(): Promise<void> {}

  async shutdown(): Promise<void> {}
}

/** The route of a server's span above Next's request that is named by its method alone. `undefined` for every other span. */
export function outerRoute(span: ReadableSpan): string | undefined {
  const { "http.route": known, "http.request.method": method, "http.method": earlier } = span.attributes
  return known === undefined && methodOf(span.name) === (method ?? earlier) ? state.value?.get(span) : undefined
}

/** The route of the 404 page, if it is what Next answers this request with. */
export function notFoundRoute(span: ReadableSpan): string | undefined {
  return span.attributes["http.status_code"] === 404 ? state.value?.get(span) : undefined
}
