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
import { withRequestFacts } from "./request-context.ts"
import { withDeferredSampling } from "./sampler.ts"

/** Where `@sentry/opentelemetry` keeps an incoming sampling context: in the trace state, in this process only. */
export const INCOMING_CONTEXT_KEY = "sentry.dsc"
/**
 * By which Sentry's context manager gives what runs in a context an isolation scope of its own. Keys of one name are one
 * key, and `@sentry/opentelemetry` does not export its own.
 */
const FORK_ISOLATION_SCOPE = createContextKey("sentry_fork_isolation_scope")
const NOT_RECORDING_KEY = "sentry.sampled_not_recording"

/**
 * `traceparent`, `sentry-trace` and `baggage` both ways, and the page's settings into HTML. Where an incoming request
 * names two traces, `traceparent` wins: it is what OpenTelemetry's own services send.
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
      if (isKeptForOthers(context)) return
    }
    this.#w3c.inject(withoutSentryState(context), carrier, setter)
    this.#sentry.inject(context, carrier, setter)
  }

  /** Also where an incoming request's scope begins: what one request says of itself, no other's errors say. */
  extract(context: Context, carrier: unknown, getter: TextMapGetter): Context {
    return this.#extract(context, carrier, getter).setValue(FORK_ISOLATION_SCOPE, true)
  }

  fields(): string[] {
    return ["traceparent", "tracestate", "sentry-trace", "baggage", PAGE_SETTINGS_KEY]
  }

  #extract(context: Context, carrier: unknown, getter: TextMapGetter): Context {
    const withSentry = this.#sentry.extract(withRequestFacts(context, carrier, getter), carrier, getter)
    const w3c = trace.getSpanContext(this.#w3c.extract(ROOT_CONTEXT, carrier, getter))
    const sentry = trace.getSpanContext(withSentry)
    if (w3c === undefined) return isDeferred(sentry) ? withDeferredSampling(withSentry) : withSentry
    // Sentry's carries the sampling context in its trace state, so that is kept where both name the same span.
    const traceState = w3c.spanId === sentry?.spanId ? sentry.traceState : undefined
    const chosen = trace.setSpanContext(withSentry, traceState === undefined ? w3c : { ...w3c, traceState })
    // A page that has not learned its rate yet says so in the one header that can say it.
    return w3c.spanId === sentry?.spanId && isDeferred(sentry) ? withDeferredSampling(chosen) : chosen
  }
}

/** `sentry-trace` without its last part leaves the decision to whom it reaches. */
function isDeferred(remote: SpanContext | undefined): boolean {
  return remote?.isRemote === true && remote.traceFlags === 0 && remote.traceState?.get(NOT_RECORDING_KEY) === undefined
}

/** Sentry's entries hold commas, which would break the `tracestate` header; they travel in `baggage`. */
function withoutSentryState(context: Context): Context {
  const spanContext = trace.getSpanContext(context)
  if (spanContext?.traceState === undefined) return context
  const { traceState: state, ...rest } = spanContext
  const traceState = state.unset(INCOMING_CONTEXT_KEY).unset(NOT_RECORDING_KEY)
  return trace.setSpanContext(context, traceState.serialize() === "" ? rest : { ...rest, traceState })
}

/** Next collects `clientTraceMetadata` in an array; every other carrier is an object of headers. */
function isHtml(carrier: unknown): boolean {
  return Array.isArray(carrier)
}

/**
 * HTML that is rendered once and then served to many (ISR, on-demand static generation) must not carry the trace of
 * the request that happened to render it. Next marks such a render by the name of its span.
 */
function isKeptForOthers(context: Context): boolean {
  const span = trace.getSpan(context) as Partial<ReadableSpan> | undefined
  const name = span?.attributes?.["next.span_name"]
  return typeof name === "string" && name.startsWith("prerender route")
}
