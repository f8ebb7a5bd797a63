import {
  type Context,
  isSpanContextValid,
  type TextMapGetter,
  type TextMapPropagator,
  type TextMapSetter,
  trace,
} from "@opentelemetry/api"
import { formatBaggage, type SamplingContext } from "../sentry/sampling-context.ts"
import type { PageSampling } from "./delivery/page-sampling.ts"

/**
 * What a page writes into its requests: `traceparent` for OpenTelemetry's services, `sentry-trace` and `baggage` for
 * Sentry's. A page receives nothing this way.
 */
export class PagePropagator implements TextMapPropagator {
  readonly #sampling: PageSampling
  readonly #samplingContext: (traceId: string) => SamplingContext | undefined

  constructor(sampling: PageSampling, samplingContext: (traceId: string) => SamplingContext | undefined) {
    this.#sampling = sampling
    this.#samplingContext = samplingContext
  }

  inject(context: Context, carrier: unknown, setter: TextMapSetter): void {
    const span = trace.getSpanContext(context)
    if (span === undefined || !isSpanContextValid(span)) return
    const ids = `${span.traceId}-${span.spanId}`
    const sampled = Number(this.#sampling.isSampled(span))
    setter.set(carrier, "traceparent", `00-${ids}-0${sampled}`)
    // Without its last part it leaves the decision to whom it reaches, which `traceparent` cannot say.
    setter.set(carrier, "sentry-trace", this.#sampling.isUndecided(span) ? ids : `${ids}-${sampled}`)
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
