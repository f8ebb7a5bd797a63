import type { Attributes, Context, Span, Tracer, TracerProvider } from "@opentelemetry/api"
import type { DropReason } from "../../../protocol/records/drop.ts"
import type { RouteMatcher } from "../../routes/matcher.ts"
import { SEGMENT_NAME } from "../../sentry/span-facts.ts"
import { KIND_CLIENT, spanOf, STATUS_ERROR, withSpan } from "../api/contexts.ts"
import { currentOrigin, followSystemClock } from "../clock.ts"
import type { PagePropagator } from "../propagator.ts"
import type { CurrentRoot } from "../roots/current-root.ts"
import type { PageRoot, RootSpan } from "../roots/page-root.ts"
import {
  ATTR_ERROR_TYPE,
  ATTR_HTTP_METHOD,
  ATTR_HTTP_STATUS,
  ATTR_POLLING,
  ATTR_PREFETCH,
  ATTR_URL_TEMPLATE,
} from "../semconv.ts"
import { type FetchArguments, type OutgoingRequest, publicUrl, recordedUrl } from "./outgoing-request.ts"
import type { Rhythm, Rhythms } from "./polling.ts"
import type { ResponseEnds } from "./response-ends.ts"

export type Fetch = typeof globalThis.fetch

export interface RequestTracing {
  readonly provider: TracerProvider
  readonly tracer: Tracer
  readonly matcher: RouteMatcher
  readonly current: CurrentRoot
  readonly propagator: PagePropagator
  readonly ends: ResponseEnds
  /** Recognises polling. Loaded once the page is idle: polling shows only after some intervals. */
  rhythms?: Rhythms
  /** `TracedRequest` for `fetch`. An instrumentation of the app extends it, and what is loaded late. */
  Fetched: typeof TracedRequest
  /** Names of query parameters that may be recorded. */
  readonly queryParameters: readonly string[]
  /** Whether prefetches have spans. No root waits for them. */
  readonly recordsPrefetches?: true
  /** Other origins that receive trace headers. Such a header makes a cross-origin request need a preflight. */
  readonly traceOrigins: readonly string[]
  /** Matches the page's own paths that receive none. */
  readonly withoutHeaders: RouteMatcher
  /** Counts a request without a span. */
  dropped(reason: DropReason): void
}

/**
 * A request in flight: its span, the root that waits for it and the rhythm of its URL, where there are any. Its times are on the
 * page's timeline, and those of its span have one origin, so that no correction of the clock changes a duration.
 */
export class TracedRequest {
  readonly startedAt = performance.now()
  /** The context to inject into its headers; `undefined` where it must have no trace headers. */
  readonly context: Context | undefined
  readonly span: Span | undefined
  readonly #origin: number
  readonly #kind: OutgoingRequest["kind"]
  readonly #root: PageRoot | undefined
  readonly #rhythm: Rhythm | undefined
  #hasHead = false

  constructor(tracing: RequestTracing, request: OutgoingRequest) {
    const { current, rhythms, traceOrigins, withoutHeaders } = tracing
    const { headers, isSameOrigin, kind, method, url } = request
    const active = current.active()
    this.#kind = kind
    this.#root = current.open
    if (!this.#root) followSystemClock()
    this.#origin = currentOrigin()
    // A prefetch never extends a root, whatever its rhythm.
    this.#rhythm = kind === "prefetch" ? undefined : rhythms?.of(`${kind} ${method} ${publicUrl(url)}`)
    const marks = marksOf(tracing, kind, active, this.#rhythm?.started(this.startedAt) === true)
    this.span = marks && startRequestSpan(tracing, request, this.#origin + this.startedAt, active, marks)
    // Headers that the page's own code has set stay as they are. Sentry's SDK writes the trace of the page (`trace-headers.ts`).
    const named = headers.get("sentry-trace")
    const isTraced = headers.has("traceparent") || (named && !named.startsWith(current.traceId ?? "-"))
    const mayTrace = isSameOrigin ? !withoutHeaders.matchPath(url.pathname) : traceOrigins.includes(url.origin)
    if (!isTraced && mayTrace) this.context = this.span ? withSpan(active, this.span) : active
  }

  /** Sends a `fetch`. */
  send(native: Fetch, self: unknown, args: FetchArguments): Promise<Response> {
    return Reflect.apply(native, self, args)
  }

  /** The head of the response has arrived. A root waits for the end only of the router's own requests, which is the page. */
  responded({ status, headers }: Pick<Response, "status"> & Partial<Response>, at: number): void {
    if (this.#hasHead) return
    this.#hasHead = true
    this.#rhythm?.answered()
    if (!this.span) return
    setResponseStatus(this.span, status)
    if (this.#kind === "api") this.#root?.settleChild(this.span, this.#origin + at)
    // Next leaves it to the browser to load what is no page. The browser keeps this one for a download, or without content.
    else if (this.#kind === "rsc" && (status === 204 || headers?.has("content-disposition"))) this.#root?.end("no_page")
  }

  ended(at: number): void {
    this.#rhythm?.ended(at, this.#hasHead)
    this.endSpan(this.#origin + at)
  }

  /** @param type `error.type`. A request that the page itself aborted is no error. */
  failed(type: string, at: number): void {
    this.span?.setAttribute(ATTR_ERROR_TYPE, type)
    if (type !== "AbortError") this.span?.setStatus({ code: STATUS_ERROR })
    this.ended(at)
  }

  protected endSpan(at: number): void {
    this.span?.end(at)
  }
}

/** @param status 0 of an opaque response (`no-cors`); `undefined` of a resource in a browser that does not report it, like Safari. */
export function setResponseStatus(span: Span, status: number | undefined): void {
  if (!status) return
  span.setAttribute(ATTR_HTTP_STATUS, status)
  if (status >= 400) span.setAttribute(ATTR_ERROR_TYPE, String(status)).setStatus({ code: STATUS_ERROR })
}

/** Starts a client span, named by what the request is for and by the route that serves it, never by a raw path. */
function startRequestSpan(
  { tracer, matcher, queryParameters }: RequestTracing,
  { url, method, kind, isSameOrigin }: OutgoingRequest,
  startTime: number,
  parent: Context,
  marks: Attributes,
): Span {
  const route = isSameOrigin ? matcher.matchPath(url.pathname) : undefined
  const verb = kind === "api" ? method : kind.toUpperCase()
  const target = isSameOrigin ? route : url.host
  const attributes: Attributes = {
    [ATTR_HTTP_METHOD]: method,
    ...recordedUrl(url, matcher.publicPath(url.pathname, route), queryParameters),
    "sentry.op": "http.client",
    "sentry.origin": "auto.http.pagespan",
    // A prefetch is marked as in Sentry; OpenTelemetry defines no such attribute.
    ...(kind !== "api" && { [kind === "prefetch" ? ATTR_PREFETCH : `next.${kind}`]: true }),
    [ATTR_URL_TEMPLATE]: route,
    ...marks,
  }
  const name = target === undefined ? verb : `${verb} ${target}`
  return tracer.startSpan(name, { kind: KIND_CLIENT, startTime, attributes }, parent)
}

/**
 * Attributes that place a request in the page. One that starts after its root has ended still belongs to that root, up to a
 * limit. `undefined` where the request has no span: a prefetch that is not recorded or has no open root; and, counted as
 * dropped, a request without a trace to belong to or past the limit.
 */
function marksOf(
  { current, dropped, recordsPrefetches }: RequestTracing,
  kind: OutgoingRequest["kind"],
  active: Context,
  isPolling: boolean,
): Attributes | undefined {
  const { open, root } = current
  if (kind === "prefetch" && !(recordsPrefetches && open)) return undefined
  const marks = { [ATTR_POLLING]: isPolling || undefined }
  if (open) return marks
  const parent = spanOf(active)
  if (!parent) return void dropped("no_parent_span")
  // The app's own code may have begun another trace.
  if (parent.spanContext().traceId !== root?.span.spanContext().traceId) return marks
  if (!root.takesLate(isPolling)) return void dropped("limit_spans")
  const { name = root.span.name } = parent as Partial<RootSpan>
  return { ...marks, [SEGMENT_NAME]: name }
}
