import { type Attributes, context, type Context, type Span, trace, type Tracer } from "@opentelemetry/api"
import type { DropReason } from "../../../protocol/records/drop.ts"
import type { RouteMatcher } from "../../routes/matcher.ts"
import { SEGMENT_NAME } from "../../sentry/span-facts.ts"
import type { PagePropagator } from "../propagator.ts"
import type { CurrentRoot } from "../roots/current-root.ts"
import type { Clock } from "../roots/idle-rule.ts"
import type { PageRoot, RootSpan } from "../roots/page-root.ts"
import { ATTR_POLLING } from "../roots/semconv.ts"
import { type OutgoingRequest, publicUrl } from "./outgoing-request.ts"
import type { Rhythm, Rhythms } from "./polling.ts"
import { noteFailure, noteResponse, startRequestSpan } from "./request-span.ts"

export interface RequestTracing {
  readonly tracer: Tracer
  readonly clock: Clock
  readonly matcher: RouteMatcher
  readonly current: CurrentRoot
  readonly propagator: PagePropagator
  /** What recognises polling, once the page is idle: it takes some intervals to show anyway. */
  rhythms?: Rhythms
  /** Names of query parameters that may be told. */
  readonly queryParameters: readonly string[]
  /** Whether prefetches make spans, which no root waits for. */
  readonly recordsPrefetches: boolean
  /** Other origins that may see the page's trace. A header more makes a cross-origin request need a preflight. */
  readonly traceOrigins: ReadonlySet<string>
  /** Counts a request that makes no span. */
  dropped(reason: DropReason): void
}

/** A request on its way: the span, the root that waits for it and the rhythm of its address, where there are any. */
export class TracedRequest {
  readonly startedAt: number
  /** Whose ids its headers get, where they may have any. */
  readonly context: Context | undefined
  readonly #request: OutgoingRequest
  readonly #span: Span | undefined
  readonly #root: PageRoot | undefined
  readonly #rhythm: Rhythm | undefined
  #hasHead = false

  constructor(tracing: RequestTracing, request: OutgoingRequest) {
    const { clock, current, rhythms, traceOrigins } = tracing
    const { headers, isSameOrigin, kind, method, url } = request
    const active = context.active()
    this.startedAt = clock.now()
    this.#request = request
    this.#root = current.open
    // A prefetch never extends a root, whatever its rhythm.
    this.#rhythm = kind === "prefetch" ? undefined : rhythms?.of(`${kind} ${method} ${publicUrl(url)}`)
    const marks = marksOf(tracing, request, active, this.#rhythm?.started(this.startedAt) === true)
    this.#span = marks && startRequestSpan(tracing, request, this.startedAt, active, marks)
    const isTraced = headers.has("traceparent") || headers.has("sentry-trace")
    // What the page's own code has set is kept.
    const mayTrace = (isSameOrigin || traceOrigins.has(url.origin)) && !isTraced
    const own = this.#span === undefined ? active : trace.setSpan(active, this.#span)
    this.context = mayTrace ? own : undefined
  }

  /** The response has begun. Only the router's own requests are waited for until their end, which is the page. */
  answered(status: number, at: number): void {
    if (this.#hasHead) return
    this.#hasHead = true
    this.#rhythm?.answered()
    if (this.#span === undefined) return
    noteResponse(this.#span, status)
    if (this.#request.kind === "api") this.#root?.settleChild(this.#span, at)
  }

  ended(at: number): void {
    this.#rhythm?.ended(at, this.#hasHead)
    this.#span?.end(at)
  }

  failed(type: string, at: number): void {
    if (this.#span !== undefined) noteFailure(this.#span, type)
    this.ended(at)
  }
}

/**
 * Attributes that tell where in the page a request belongs. One that starts after the root has ended belongs to that
 * root all the same, up to a bound. `undefined` where there is to be no span: for a prefetch that is not recorded or has no
 * open root, and, counted, without a trace to belong to and past the bound.
 */
function marksOf(
  { current, dropped, recordsPrefetches }: RequestTracing,
  { kind }: OutgoingRequest,
  active: Context,
  isPolling: boolean,
): Attributes | undefined {
  const { open, root } = current
  if (kind === "prefetch" && !(recordsPrefetches && open !== undefined)) return undefined
  const marks = isPolling ? { [ATTR_POLLING]: true } : {}
  if (open !== undefined) return marks
  const parent = trace.getSpan(active)
  if (parent === undefined) return void dropped("no_parent_span")
  // The app's own code may have begun another trace.
  if (parent.spanContext().traceId !== root?.span.spanContext().traceId) return marks
  if (!root.takesLate(isPolling)) return void dropped("limit_spans")
  const { name = root.span.name } = parent as Partial<RootSpan>
  return { ...marks, [SEGMENT_NAME]: name }
}
