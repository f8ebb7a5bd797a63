import {
  type Context,
  isSpanContextValid,
  type TextMapGetter,
  type TextMapPropagator,
  type TextMapSetter,
  trace,
} from "@opentelemetry/api"
import { formatBaggage, type SamplingContext } from "../sentry/sampling-context.ts"

/**
 * What a page writes into its requests: `traceparent` for OpenTelemetry's services, `sentry-trace` and `baggage` for
 * Sentry's. A page receives nothing this way.
 */
export class PagePropagator implements TextMapPropagator {
  readonly #samplingContext: (traceId: string) => SamplingContext | undefined

  constructor(samplingContext: (traceId: string) => SamplingContext | undefined) {
    this.#samplingContext = samplingContext
  }

  inject(context: Context, carrier: unknown, setter: TextMapSetter): void {
    const span = trace.getSpanContext(context)
    if (span === undefined || !isSpanContextValid(span)) return
    const sampled = span.traceFlags & 1
    setter.set(carrier, "traceparent", `00-${span.traceId}-${span.spanId}-0${sampled}`)
    setter.set(carrier, "sentry-trace", `${span.traceId}-${span.spanId}-${sampled}`)
    const samplingContext = this.#samplingContext(span.traceId)
    if (samplingContext !== undefined) setter.set(carrier, "baggage", formatBaggage(samplingContext))
  }

  extract(context: Context, _carrier: unknown, _getter: TextMapGetter): Context {
    return context
  }

  fields(): string[] {
    return ["traceparent", "sentry-trace", "baggage"]
  }
}
