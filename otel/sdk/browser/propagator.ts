import type { Context, TextMapGetter, TextMapPropagator, TextMapSetter } from "@opentelemetry/api"
import { formatBaggage } from "../sentry/sampling-context.ts"
import { isSuppressed, spanContextOf } from "./api/contexts.ts"
import type { Delivery } from "./delivery/delivery.ts"
import type { CurrentRoot } from "./roots/current-root.ts"

/**
 * Writes the trace context into a page's requests: `traceparent` for OpenTelemetry, `sentry-trace` and `baggage` for
 * Sentry. It extracts nothing: a page receives no requests.
 */
export class PagePropagator implements TextMapPropagator {
  readonly #delivery: Delivery
  readonly #current: CurrentRoot

  constructor(delivery: Delivery, current: CurrentRoot) {
    this.#delivery = delivery
    this.#current = current
  }

  inject(context: Context, carrier: unknown, setter: TextMapSetter): void {
    const span = spanContextOf(context)
    if (span === undefined || isSuppressed(context)) return
    const { sampling } = this.#delivery
    const ids = `${span.traceId}-${span.spanId}`
    const sampled = Number(sampling.isSampled(span))
    setter.set(carrier, "traceparent", `00-${ids}-0${sampled}`)
    // Without its last part `sentry-trace` defers the decision to the receiver, which `traceparent` cannot express.
    setter.set(carrier, "sentry-trace", sampling.isUndecided(span) ? ids : `${ids}-${sampled}`)
    const root = this.#current.root?.span
    const samplingContext =
      root?.spanContext().traceId === span.traceId ? this.#delivery.samplingContext(root) : undefined
    if (samplingContext !== undefined) setter.set(carrier, "baggage", formatBaggage(samplingContext))
  }

  extract(context: Context, _carrier: unknown, _getter: TextMapGetter): Context {
    return context
  }

  fields(): string[] {
    return ["traceparent", "sentry-trace", "baggage"]
  }
}
