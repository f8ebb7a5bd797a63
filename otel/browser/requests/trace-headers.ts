import type { Context } from "@opentelemetry/api"
import type { PagePropagator } from "../propagator.ts"
import type { FetchArguments, OutgoingRequest } from "./outgoing-request.ts"

/**
 * The arguments of a `fetch` with the trace in its headers. What the page's own code has set is kept; its `baggage`
 * is continued.
 */
export function withTraceHeaders(
  [input, init]: FetchArguments,
  request: OutgoingRequest,
  context: Context,
  propagator: PagePropagator,
): FetchArguments {
  const headers = new Headers(request.headers)
  if (headers.has("traceparent") || headers.has("sentry-trace")) return [input, init]
  propagator.inject(context, headers, { set: (_carrier, key, value) => headers.append(key, value) })
  return [input, { ...init, headers }]
}
