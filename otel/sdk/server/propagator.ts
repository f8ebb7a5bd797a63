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
import { isTracingSuppressed, W3CTraceContextPropagator } from "@opentelemetry/core"
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import { SentryPropagator } from "@sentry/opentelemetry"
import { PAGE_SETTINGS_KEY, type PageSettings } from "../page-settings.ts"
import { safely } from "../safely.ts"
import { formatBaggage, parseBaggage, type SamplingContext, type SamplingContexts } from "../sentry/sampling-context.ts"
import type { TraceContinuation } from "./continue-trace.ts"
import { withPageDelivery } from "./internal-requests.ts"
import { withRequestHeaders } from "./request-context.ts"
import { withDeferredSampling } from "./sampler.ts"
import { isSampledOut, withoutInternalState } from "./trace-state.ts"

/**
 * Context key that makes Sentry's context manager fork the isolation scope. Keys with the same name are equal, and
 * `@sentry/opentelemetry` does not export its key.
 */
const FORK_ISOLATION_SCOPE = createContextKey("sentry_fork_isolation_scope")
const NO_HEADERS: TextMapGetter = { get: () => undefined, keys: () => [] }

/** What the propagator needs to know of Sentry, where it is on. */
export interface SentryTraces {
  readonly contexts: SamplingContexts
  readonly continuation: TraceContinuation
}

/**
 * Propagates `traceparent`, `sentry-trace` and `baggage` in both directions, and injects the page's settings into HTML. If an
 * incoming request names two traces, `traceparent` takes precedence, because OpenTelemetry's own services send it. Never
 * throws: Next calls it while it handles a request.
 */
export class ServerPropagator implements TextMapPropagator {
  readonly #w3c = new W3CTraceContextPropagator()
  readonly #scopes = new SentryPropagator()
  readonly #settings: string
  readonly #sentry: SentryTraces | undefined

  constructor(settings: PageSettings, sentry?: SentryTraces) {
    this.#settings = JSON.stringify(settings)
    this.#sentry = sentry
  }

  inject(context: Context, carrier: unknown, setter: TextMapSetter): void {
    safely(() => {
      if (isHtml(carrier)) {
        setter.set(carrier, PAGE_SETTINGS_KEY, this.#settings)
        if (isShared(context)) return
      }
      this.#w3c.inject(withoutInternalState(context), carrier, setter)
      this.#injectSentry(context, carrier, setter)
    })
  }

  /** Also forks the isolation scope of an incoming request, so that no other request's errors carry its data. */
  extract(context: Context, carrier: unknown, getter: TextMapGetter): Context {
    return safely(
      () => this.#extract(context, carrier, withShortBaggage(getter)),
      () => context,
    ).setValue(FORK_ISOLATION_SCOPE, true)
  }

  fields(): string[] {
    return ["traceparent", "tracestate", "sentry-trace", "baggage", PAGE_SETTINGS_KEY]
  }

  #injectSentry(context: Context, carrier: unknown, setter: TextMapSetter): void {
    const span = trace.getSpan(context)
    if (this.#sentry === undefined || span === undefined || isTracingSuppressed(context)) return
    const { traceId, spanId, traceFlags } = span.spanContext()
    setter.set(carrier, "sentry-trace", `${traceId}-${spanId}-${traceFlags & 1}`)
    setter.set(carrier, "baggage", formatBaggage(this.#sentry.contexts.of(span)))
  }

  #extract(context: Context, carrier: unknown, getter: TextMapGetter): Context {
    const request = withPageDelivery(withRequestHeaders(context, carrier, getter), carrier, getter)
    const withSentry = this.#scopes.extract(request, carrier, getter)
    const w3c = trace.getSpanContext(this.#w3c.extract(ROOT_CONTEXT, carrier, getter))
    const sentry = remoteOf(withSentry)
    const remote = w3c ?? sentry
    if (remote === undefined) return withSentry
    const caller = callerContext(getter.get(carrier, "baggage"), remote, sentry)
    if (caller !== undefined && this.#sentry?.continuation.isForeign(caller) === true)
      return this.#scopes.extract(request, {}, NO_HEADERS)
    const own = w3c?.traceState
    const traceState = caller === undefined ? own : (this.#sentry?.continuation.accept(caller, own) ?? own)
    const { traceState: _, ...ids } = remote
    const chosen = trace.setSpanContext(withSentry, traceState === undefined ? ids : { ...ids, traceState })
    // A page that does not know its sample rate yet defers the decision, which only `sentry-trace` can express.
    return remote.spanId === sentry?.spanId && isDeferred(sentry) ? withDeferredSampling(chosen) : chosen
  }
}

/**
 * Members of `baggage` that are read, as many as the specification asks of every platform. Anybody can send 16 KiB of members
 * that do not decode, and each costs Sentry's parser an exception: 30 ms in all.
 *
 * @see https://www.w3.org/TR/baggage/#limits
 */
const BAGGAGE_MEMBER_LIMIT = 64

function withShortBaggage(getter: TextMapGetter): TextMapGetter {
  return {
    keys: (carrier) => getter.keys(carrier),
    get(carrier, key) {
      const value = getter.get(carrier, key)
      if (key !== "baggage" || value === undefined) return value
      return String(value).split(",", BAGGAGE_MEMBER_LIMIT).join(",")
    },
  }
}

function remoteOf(context: Context): SpanContext | undefined {
  const spanContext = trace.getSpanContext(context)
  return spanContext?.isRemote === true ? spanContext : undefined
}

/**
 * The sampling context of the caller's `baggage`, if it is about the trace to continue. Next passes a request that ran through
 * `proxy.ts` on with its own `traceparent` and the caller's other headers.
 */
function callerContext(
  baggage: string | string[] | undefined,
  remote: SpanContext,
  sentry: SpanContext | undefined,
): SamplingContext | undefined {
  const context = parseBaggage(Array.isArray(baggage) ? baggage.join(",") : baggage)
  const subject = context?.["trace_id"] ?? sentry?.traceId ?? remote.traceId
  return subject === remote.traceId ? context : undefined
}

/** `sentry-trace` without its last part defers the sampling decision to the receiver. */
function isDeferred(remote: SpanContext): boolean {
  return remote.traceFlags === 0 && !isSampledOut(remote)
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
