import { context, propagation, trace } from "@opentelemetry/api"
import { getAsyncContextStrategy, getMainCarrier, setAsyncContextStrategy } from "@sentry/core"

/** What Sentry's `getTraceData` returns. */
interface TraceHeaders {
  "sentry-trace"?: string
  baggage?: string
  traceparent?: string
}

/**
 * Makes Sentry's SDK write the trace of the page wherever it writes a trace. With `browserTracingIntegration()` among the
 * integrations of `Sentry.init` it writes one into requests even without tracing, and begins another trace on each navigation.
 */
export function joinTraceHeaders(): void {
  const strategy = getAsyncContextStrategy(getMainCarrier())
  setAsyncContextStrategy({
    ...strategy,
    getTraceData: ({ propagateTraceparent } = {}) => pageTrace(propagateTraceparent),
  })
}

/** The headers of the active span, or else of the current root. Without consent there are none. */
function pageTrace(propagatesTraceparent = false): TraceHeaders {
  const active = trace.getActiveSpan()?.spanContext()
  if (active === undefined) return {}
  // Until the page is idle, no propagator is registered. Without its last part, the header leaves the decision to the receiver.
  const headers: TraceHeaders = { "sentry-trace": `${active.traceId}-${active.spanId}` }
  propagation.inject(context.active(), headers)
  if (!propagatesTraceparent) delete headers.traceparent
  return headers
}
