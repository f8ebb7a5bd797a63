import { type Context, type SpanContext, trace } from "@opentelemetry/api"

/**
 * Entries of the trace state that all spans of a trace inherit in this process. They never leave it: Sentry's contain commas,
 * which are invalid in a `tracestate` header.
 */

/**
 * On a span that is neither sampled nor recorded. `@sentry/opentelemetry` has the same entry with the same meaning, so that
 * headers which the app writes through Sentry's SDK carry the decision too.
 */
export const UNSAMPLED_KEY = "sentry.sampled_not_recording"
/** What is accepted of a caller's sampling context. */
export const CALLER_KEY = "pagespan.caller"
/** A caller's sampling context, as `@sentry/opentelemetry` stores it. */
const SENTRY_CONTEXT_KEY = "sentry.dsc"

const INTERNAL_KEYS = [SENTRY_CONTEXT_KEY, UNSAMPLED_KEY, CALLER_KEY]

/** Whether a span is not recorded because its trace is not sampled. */
export function isSampledOut({ traceState }: SpanContext): boolean {
  return traceState?.get(UNSAMPLED_KEY) !== undefined
}

/** The context as other processes may see it. */
export function withoutInternalState(context: Context): Context {
  const spanContext = trace.getSpanContext(context)
  if (spanContext?.traceState === undefined) return context
  return trace.setSpanContext(context, publicSpanContext(spanContext))
}

/** The span context as other processes may see it. */
export function publicSpanContext(spanContext: SpanContext): SpanContext {
  const { traceState: state, ...rest } = spanContext
  if (state === undefined || INTERNAL_KEYS.every((key) => state.get(key) === undefined)) return spanContext
  const traceState = INTERNAL_KEYS.reduce((left, key) => (left.get(key) === undefined ? left : left.unset(key)), state)
  return traceState.serialize() === "" ? rest : { ...rest, traceState }
}
