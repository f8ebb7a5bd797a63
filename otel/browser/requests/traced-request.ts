import { type Context, context, type Span, trace, type Tracer } from "@opentelemetry/api"
import type { RouteMatcher } from "../../routes/matcher.ts"
import type { PagePropagator } from "../propagator.ts"
import type { CurrentRoot } from "../roots/current-root.ts"
import type { Clock } from "../roots/idle-rule.ts"
import type { PageRoot } from "../roots/page-root.ts"
import { type OutgoingRequest, publicUrl } from "./outgoing-request.ts"
import { startRequestSpan } from "./request-span.ts"

export interface RequestTracing {
  readonly tracer: Tracer
  readonly clock: Clock
  readonly matcher: RouteMatcher
  readonly current: CurrentRoot
  readonly propagator: PagePropagator
  /** Names of query parameters that may be told. */
  readonly queryParameters: readonly string[]
  /** Whether prefetches make spans, which no root waits for. */
  readonly recordsPrefetches: boolean
  /** Other origins that may see the page's trace. A header more makes a cross-origin request need a preflight. */
  readonly traceOrigins: ReadonlySet<string>
}

export interface TracedRequest {
  readonly span: Span | undefined
  /** The root that it is a child of. */
  readonly root: PageRoot | undefined
  readonly startedAt: number
  /** Whose ids its headers get, where they may have any. */
  readonly context: Context | undefined
}

/**
 * Makes a child span of the first request to each address while a root is open. A repetition (polling), a prefetch
 * where none are recorded, and a request after the root has ended make none: they are no part of what the visitor waited
 * for. They still carry the page's trace, so that what the server did has a parent that exists.
 */
export function traceRequest(tracing: RequestTracing, request: OutgoingRequest): TracedRequest {
  const { clock, current, traceOrigins } = tracing
  const startedAt = clock.now()
  const root = isRecorded(tracing, request) ? current.open : undefined
  const active = context.active()
  const span = root && startRequestSpan(tracing, request, startedAt, active)
  const { headers, isSameOrigin, url } = request
  const isTraced = headers.has("traceparent") || headers.has("sentry-trace")
  // What the page's own code has set is kept.
  const mayTrace = (isSameOrigin || traceOrigins.has(url.origin)) && !isTraced
  const own = span === undefined ? active : trace.setSpan(active, span)
  return { span, root, startedAt, context: mayTrace ? own : undefined }
}

function isRecorded({ current, recordsPrefetches }: RequestTracing, { kind, method, url }: OutgoingRequest): boolean {
  // The router asks for several parts of a page by the same address.
  if (kind === "prefetch") return recordsPrefetches
  return current.open?.isFirst(`${kind} ${method} ${publicUrl(url)}`) === true
}
