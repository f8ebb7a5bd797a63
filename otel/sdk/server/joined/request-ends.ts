import { type Context, type SpanContext, trace } from "@opentelemetry/api"
import type { Span } from "@opentelemetry/sdk-trace-base"

/**
 * Keeps a request from ending the spans of another request. `@vercel/otel` ends each span of a trace that is open when the first
 * request of that trace ends, because it expects one request in each trace. The requests of a page share its trace and run side by
 * side: they would lose their status, their route and the rest of their time.
 */
export class RequestEnds {
  /** The parents in this process, by span. */
  readonly #parents = new WeakMap<SpanContext, SpanContext>()
  #ending: SpanContext | undefined

  /** Must be called at the start of each span. */
  watch(span: Span, parentContext: Context): void {
    const own = span.spanContext()
    const parent = trace.getSpanContext(parentContext)
    if (parent?.traceId === own.traceId && parent.isRemote !== true) this.#parents.set(own, parent)
    const end = span.end.bind(span)
    span.end = (time) => {
      if (!this.#mayEnd(own)) return
      const outer = this.#ending
      this.#ending = own
      try {
        end(time)
      } finally {
        this.#ending = outer
      }
    }
  }

  /** While a request ends, a span of its trace may end if it is part of that request. */
  #mayEnd(span: SpanContext): boolean {
    const ending = this.#ending
    if (ending === undefined || ending.traceId !== span.traceId || this.#parents.has(ending)) return true
    return this.#isWithin(span, ending)
  }

  #isWithin(span: SpanContext, above: SpanContext): boolean {
    for (let each: SpanContext | undefined = span; each !== undefined; each = this.#parents.get(each))
      if (each === above) return true
    return false
  }
}
