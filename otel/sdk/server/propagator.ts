import {
  type Context,
  createContextKey,
  ROOT_CONTEXT,
  type SpanContext,
  type TextMapGetter,
  type TextMapPropagator,
  type TextMapSetter,
  trace,
} from "@opentelemetry/api"
import { W3CTraceContextPropagator } from "@opentelemetry/core"
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import { SentryPropagator } from "@sentry/opentelemetry"
import { PAGE_SETTINGS_KEY, type PageSettings } from "../page-settings.ts"
import { withRequestHeaders } from "./request-context.ts"
import { withDeferredSampling } from "./sampler.ts"

/** Trace state entry in which `@sentry/opentelemetry` stores an incoming sampling context, in this process only. */
export const INCOMING_CONTEXT_KEY = "sentry.dsc"
/**
 * Context key that makes Sentry's context manager fork the isolation scope. Keys with the same name are equal, and
 * `@sentry/opentelemetry` does not export its key.
 */
const FORK_ISOLATION_SCOPE = createContextKey("sentry_fork_isolation_scope")
const NOT_RECORDING_KEY = "sentry.sampled_not_recording"

/**
 * Propagates `traceparent`, `sentry-trace` and `baggage` in both directions, and injects the page's settings into HTML. If an
 * incoming request names two traces, `traceparent` takes precedence, because OpenTelemetry's own services send it.
 */
export class ServerPropagator implements TextMapPropagator {
  readonly #w3c = new W3CTraceContextPropagator()
  readonly #sentry = new SentryPropagator()
  readonly #settings: string

  constructor(settings: PageSettings) {
    this.#settings = JSON.stringify(settings)
  }

  inject(context: Context, carrier: unknown, setter: TextMapSetter): void {
    if (isHtml(carrier)) {
      setter.set(carrier, PAGE_SETTINGS_KEY, this.#settings)
      if (isShared(context)) return
    }
    this.#w3c.inject(withoutSentryState(context), carrier, setter)
    this.#sentry.inject(context, carrier, setter)
  }

  /** Also forks the isolation scope of an incoming request, so that no other request's errors carry its data. */
  extract(context: Context, carrier: unknown, getter: TextMapGetter): Context {
    return this.#extract(context, carrier, getter).setValue(FORK_ISOLATION_SCOPE, true)
  }

  fields(): string[] {
    return ["traceparent", "tracestate", "sentry-trace", "baggage", PAGE_SETTINGS_KEY]
  }

  #extract(context: Context, carrier: unknown, getter: TextMapGetter): Context {
    const withSentry = this.#sentry.extract(withRequestHeaders(context, carrier, getter), carrier, getter)
    const w3c = trace.getSpanContext(this.#w3c.extract(ROOT_CONTEXT, carrier, getter))
    const sentry = trace.getSpanContext(withSentry)
    if (w3c === undefined) return isDeferred(sentry) ? withDeferredSampling(withSentry) : withSentry
    // Sentry's trace state carries the sampling context. It is retained if both name the same span.
    const traceState = w3c.spanId === sentry?.spanId ? sentry.traceState : undefined
    const chosen = trace.setSpanContext(withSentry, traceState === undefined ? w3c : { ...w3c, traceState })
    // A page that does not know its sample rate yet defers the decision, which only `sentry-trace` can express.
    return w3c.spanId === sentry?.spanId && isDeferred(sentry) ? withDeferredSampling(chosen) : chosen
  }
}

/** `sentry-trace` without its last part defers the sampling decision to the receiver. */
function isDeferred(remote: SpanContext | undefined): boolean {
  return remote?.isRemote === true && remote.traceFlags === 0 && remote.traceState?.get(NOT_RECORDING_KEY) === undefined
}

/** Sentry's entries contain commas, which are invalid in a `tracestate` header. `baggage` carries them instead. */
function withoutSentryState(context: Context): Context {
  const spanContext = trace.getSpanContext(context)
  if (spanContext?.traceState === undefined) return context
  const { traceState: state, ...rest } = spanContext
  const traceState = state.unset(INCOMING_CONTEXT_KEY).unset(NOT_RECORDING_KEY)
  return trace.setSpanContext(context, traceState.serialize() === "" ? rest : { ...rest, traceState })
}

/** Next collects `clientTraceMetadata` in an array. Every other carrier is an object of headers. */
function isHtml(carrier: unknown): boolean {
  return Array.isArray(carrier)
}

/**
 * Whether HTML is rendered once and served to many visitors (ISR, on-demand static generation). It must not carry the trace
 * of the request that triggered the render. Next marks such a render in the name of its span.
 */
function isShared(context: Context): boolean {
  const span = trace.getSpan(context) as Partial<ReadableSpan> | undefined
  const name = span?.attributes?.["next.span_name"]
  return typeof name === "string" && name.startsWith("prerender route")
}
