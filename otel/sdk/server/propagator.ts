import {
  type Context,
  createContextKey,
  type SpanContext,
  type TextMapGetter,
  type TextMapPropagator,
  type TextMapSetter,
  trace,
  TraceFlags,
} from "@opentelemetry/api"
import {
  CompositePropagator,
  isTracingSuppressed,
  W3CBaggagePropagator,
  W3CTraceContextPropagator,
} from "@opentelemetry/core"
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import { SentryPropagator } from "@sentry/opentelemetry"
import { PAGE_SETTINGS_KEY, type PageSettings } from "../page-settings.ts"
import { safely } from "../../protocol/safely.ts"
import type { SdkConfig } from "../config.ts"
import {
  BAGGAGE_PREFIX,
  formatBaggage,
  parseBaggage,
  type SamplingContext,
  type SamplingContexts,
} from "../sentry/sampling-context.ts"
import type { TraceContinuation } from "./continue-trace.ts"
import { withPageDelivery } from "./internal-requests.ts"
import { withResponse } from "./next/abandoned-responses.ts"
import { withRequestHeaders } from "./request-context.ts"
import { withDeferredSampling } from "./sampler.ts"
import { isSampledOut, withoutInternalState } from "./trace-state.ts"
import { isPrerendering } from "./tracer-provider.ts"

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

/** The traces of this SDK, or of the app's SDK that this server has joined. */
export interface PropagatedTraces {
  /** Propagates them beside Sentry's headers. */
  readonly propagator: TextMapPropagator
  /** Whether `sentry-trace` is read with Sentry off too. Pages send it, and only it can defer the sampling decision. */
  readonly readsSentryTrace: boolean
  /** Decides about a trace whose caller defers the decision, which the app's SDK takes for a decision against it. */
  isSampled?(traceId: string): boolean
}

/** The traces of this SDK, propagated as `OTEL_PROPAGATORS` says. */
export function ownTraces(names: SdkConfig["OTEL_PROPAGATORS"] = ["tracecontext", "baggage"]): PropagatedTraces {
  const uses = (name: (typeof names)[number]) => names.includes(name) && !names.includes("none")
  const propagators = [
    ...(uses("tracecontext") ? [new W3CTraceContextPropagator()] : []),
    ...(uses("baggage") ? [new W3CBaggagePropagator()] : []),
  ]
  return { propagator: new CompositePropagator({ propagators }), readsSentryTrace: uses("tracecontext") }
}

/**
 * Propagates `traceparent`, `sentry-trace` and `baggage` in both directions, unless `OTEL_PROPAGATORS` excludes some of them,
 * and injects the page's settings into HTML. If an incoming request names two traces, `traceparent` takes precedence, because
 * OpenTelemetry's own services send it. Never throws: Next calls it while it handles a request.
 */
export class ServerPropagator implements TextMapPropagator {
  readonly #scopes = new SentryPropagator()
  readonly #settings: () => PageSettings
  readonly #sentry: SentryTraces | undefined
  readonly #traces: PropagatedTraces
  /** The settings in HTML, and their text. */
  #written: { readonly settings: PageSettings; readonly text: string } | undefined

  /** @param traces those of the app's SDK. Default: those of this SDK, propagated by W3C Trace Context and Baggage. */
  constructor(settings: () => PageSettings, sentry?: SentryTraces, traces = ownTraces()) {
    this.#settings = settings
    this.#sentry = sentry
    this.#traces = traces
  }

  inject(context: Context, carrier: unknown, setter: TextMapSetter): void {
    safely(() => {
      if (isHtml(carrier)) {
        setter.set(carrier, PAGE_SETTINGS_KEY, this.#settingsText())
        if (isShared(context)) return
      }
      let theirs = ""
      this.#traces.propagator.inject(withoutInternalState(context), carrier, {
        set(to, key, value) {
          if (key === "baggage") theirs = value
          else setter.set(to, key, value)
        },
      })
      const sentry = this.#injectSentry(context, carrier, setter)
      // Visitors and caches see the HTML. The page needs Sentry's members, and not what services tell each other.
      const baggage = isHtml(carrier) ? sentry : joinBaggage(sentry, theirs)
      if (baggage !== "") setter.set(carrier, "baggage", baggage)
    })
  }

  /** The settings hardly ever change. Every HTML has them. */
  #settingsText(): string {
    const settings = this.#settings()
    if (this.#written?.settings !== settings) this.#written = { settings, text: JSON.stringify(settings) }
    return this.#written.text
  }

  /** Also forks the isolation scope of an incoming request, so that no other request's errors carry its data. */
  extract(context: Context, carrier: unknown, getter: TextMapGetter): Context {
    return safely(
      () => this.#extract(context, carrier, withShortBaggage(getter)),
      () => context,
    ).setValue(FORK_ISOLATION_SCOPE, true)
  }

  fields(): string[] {
    return [...new Set([...this.#traces.propagator.fields(), "sentry-trace", "baggage", PAGE_SETTINGS_KEY])]
  }

  /** @returns the members of Sentry's `baggage`, or an empty string. */
  #injectSentry(context: Context, carrier: unknown, setter: TextMapSetter): string {
    const span = trace.getSpan(context)
    if (this.#sentry === undefined || span === undefined || isTracingSuppressed(context)) return ""
    const { traceId, spanId, traceFlags } = span.spanContext()
    setter.set(carrier, "sentry-trace", `${traceId}-${spanId}-${traceFlags & 1}`)
    return formatBaggage(this.#sentry.contexts.of(span))
  }

  #extract(context: Context, carrier: unknown, getter: TextMapGetter): Context {
    const withHeaders = withRequestHeaders(withResponse(context, carrier), carrier, getter)
    const request = withPageDelivery(withHeaders, carrier, getter)
    const readsSentry = this.#sentry !== undefined || this.#traces.readsSentryTrace
    const withSentry = this.#scopes.extract(request, carrier, readsSentry ? getter : NO_HEADERS)
    const extracted = this.#traces.propagator.extract(withSentry, carrier, getter)
    const [sentry, remote] = [remoteOf(withSentry), remoteOf(extracted)]
    if (remote === undefined) return extracted
    const caller = callerContext(getter.get(carrier, "baggage"), remote, sentry)
    if (caller !== undefined && this.#sentry?.continuation.isForeign(caller) === true)
      return this.#withoutTrace(request, carrier, getter)
    const continued = this.#continued(remote, remote !== sentry, caller)
    if (remote.spanId !== sentry?.spanId || !isDeferred(sentry)) return trace.setSpanContext(extracted, continued)
    // A page that does not know its sample rate yet defers the decision, which only `sentry-trace` can express.
    if (this.#traces.isSampled?.(remote.traceId) === true) continued.traceFlags |= TraceFlags.SAMPLED
    return withDeferredSampling(trace.setSpanContext(extracted, continued))
  }

  /** What the headers say besides the trace, which is another organization's. */
  #withoutTrace(request: Context, carrier: unknown, getter: TextMapGetter): Context {
    const withoutSentry = this.#scopes.extract(request, {}, NO_HEADERS)
    return trace.deleteSpan(this.#traces.propagator.extract(withoutSentry, carrier, getter))
  }

  /**
   * The caller's span, with the trace state that goes on from here.
   *
   * @param hasTraceState whether the trace state is the caller's own: that of `sentry-trace` is internal to Sentry's propagator.
   */
  #continued(remote: SpanContext, hasTraceState: boolean, caller: SamplingContext | undefined): SpanContext {
    const { traceState: theirs, ...ids } = remote
    const own = hasTraceState ? theirs : undefined
    const traceState = caller === undefined ? own : (this.#sentry?.continuation.accept(caller, own) ?? own)
    return traceState === undefined ? ids : { ...ids, traceState }
  }
}

/** Sentry's members, then those of the app's propagator, which passes a caller's members of Sentry on as they came. */
function joinBaggage(sentry: string, theirs: string): string {
  if (sentry === "" || theirs === "") return sentry || theirs
  const others = theirs.split(",").filter((member) => !member.trim().startsWith(BAGGAGE_PREFIX))
  return [sentry, ...others].join(",")
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
  return isPrerendering(context, span?.attributes?.["next.span_name"])
}
