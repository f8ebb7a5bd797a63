import { type Context, type SpanContext, trace } from "@opentelemetry/api"
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import { isLocalRoot } from "../sentry/span-facts.ts"
import { isAroundRequest } from "./internal-requests.ts"

/**
 * The spans that Next adds around a request with `NEXT_OTEL_VERBOSE=1`. Pagespan's own provider makes none of them, so that the
 * request is the root, with its route and its path. Another SDK does: its own processors get them, and Pagespan's do not.
 */
export class SpansAroundRequests {
  /** The parents of these spans in other processes, by span. */
  readonly #parents = new WeakMap<SpanContext, SpanContext | undefined>()
  readonly #requests = new WeakMap<ReadableSpan, ReadableSpan>()

  /** Must be called at the start of each span. @returns whether it is one around a request. */
  start(span: ReadableSpan, parentContext: Context): boolean {
    const parent = trace.getSpanContext(parentContext)
    const isAround = parent !== undefined && !isLocalRoot(span) && this.#parents.has(parent)
    const above = isAround ? this.#parents.get(parent) : span.parentSpanContext
    if (isAroundRequest(span.attributes) && (isAround || isLocalRoot(span))) {
      this.#parents.set(span.spanContext(), above)
      return true
    }
    if (isAround) this.#requests.set(span, withParent(span, above))
    return false
  }

  has(span: ReadableSpan): boolean {
    return this.#parents.has(span.spanContext())
  }

  /** A span as if these were not around it. */
  within(span: ReadableSpan): ReadableSpan {
    return this.#requests.get(span) ?? span
  }
}

/** Reads everything else of the span, also what is set later. */
function withParent(span: ReadableSpan, parentSpanContext: SpanContext | undefined): ReadableSpan {
  return Object.create(span, { parentSpanContext: { value: parentSpanContext, enumerable: true } }) as ReadableSpan
}
