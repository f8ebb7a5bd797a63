import type { Tracer } from "@opentelemetry/api"
import type { Delivery } from "../delivery/delivery.ts"
import type { Recorder } from "../recorder/recorder.ts"
import { createSuccessor } from "../recorder/successor.ts"
import type { CurrentRoot } from "../roots/current-root.ts"
import type { PageError } from "./page-errors.ts"

interface ErrorSpansOptions {
  readonly delivery: Delivery
  readonly recorder: Recorder
  readonly current: CurrentRoot
}

/**
 * Returns what gives the collector an error that no span has recorded, such as that of a click after the page load: it makes a span
 * without duration, below the root that was last open. Sentry, which has the error itself, does not get that span. A root takes a
 * limited number of them, beside its late requests.
 */
export function errorSpans({ delivery, recorder, current }: ErrorSpansOptions): (error: PageError) => void {
  const { destination, drops, spans } = delivery
  let tracer: Tracer | undefined
  return ({ exception, at: startTime }) => {
    if (exception === undefined || !destination.otlpUrl) return
    const { root } = current
    // Not in Sentry's client report: Sentry has the error.
    if (root?.takesLate(false) === false) return drops.add("limit_spans", "span", 1)
    // Its listeners do not include the bridge, which would send the span to Sentry.
    tracer ??= createSuccessor({ ...recorder.options, listeners: [spans, current] }).getTracer("pagespan")
    const attributes = { "http.route": root?.span.attributes["http.route"] }
    const span = tracer.startSpan("exception", { startTime, attributes }, current.context)
    span.recordException(exception, startTime)
    span.end(startTime)
  }
}
