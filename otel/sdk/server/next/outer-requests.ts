import { SpanKind } from "@opentelemetry/api"
import type { ReadableSpan, SpanProcessor } from "@opentelemetry/sdk-trace-base"
import { processState } from "../../process-state.ts"
import { methodOf } from "../../routes/request-span.ts"
import { routeOf } from "../../routes/route-of-file.ts"
import { spansAbove } from "./failed-steps.ts"

const state = processState<WeakMap<object, string>>("outer-requests")

/**
 * Finds the routes of spans above Next's request. An HTTP instrumentation of the app makes such a span, and knows no routes; Next's
 * steps do, which end before the response does.
 */
export class OuterRequests implements SpanProcessor {
  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    const route = span.attributes["next.route"]
    if (typeof route !== "string") return
    for (const above of spansAbove(span)) {
      const { attributes, kind } = above as unknown as ReadableSpan
      if (attributes["next.span_type"] === undefined && kind === SpanKind.SERVER)
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
