import { context, type Span, trace, type Tracer } from "@opentelemetry/api"
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import type { BuildManifest } from "../routes/build-manifest.ts"
import { createRouteMatcher } from "../routes/matcher.ts"
import { safely } from "../safely.ts"
import { digestOf, ERROR_DIGEST, textOf } from "../sentry/error-digest.ts"
import { pageClock } from "./clock.ts"
import { Delivery } from "./delivery/delivery.ts"
import { PageDrops } from "./delivery/page-drops.ts"
import { readServerTrace } from "./document.ts"
import { type ErrorMechanism, type ScriptPosition, watchErrors } from "./errors/page-errors.ts"
import { loadOwn } from "./own-scripts.ts"
import { watchLeaving, watchRestoring, whenIdle } from "./page-lifecycle.ts"
import { PagePropagator } from "./propagator.ts"
import { createTracerProvider } from "./provider.ts"
import { traceFetch } from "./requests/traced-fetch.ts"
import type { RequestTracing } from "./requests/traced-request.ts"
import { traceXhr } from "./requests/traced-xhr.ts"
import { CurrentRoot } from "./roots/current-root.ts"
import { PageRoots } from "./roots/page-roots.ts"
import { beginPageload } from "./roots/pageload.ts"
import type { RouteCommit } from "./roots/route-name.ts"
import { Transitions, UserActivity } from "./roots/transitions.ts"
import type { VisitorSession } from "./session.ts"
import { PageTimings, PageVitals } from "./timings/page-timings.ts"

const TRACER_NAME = "pagespan"

/** Everything that watches a page, put together; `stop` leaves the page as it was found. */
export class Tracing {
  readonly #facts: BuildManifest
  readonly #lifetime = new AbortController()
  readonly #current = new CurrentRoot()
  readonly #vitals = new PageVitals()
  readonly #delivery: Delivery
  readonly #tracer: Tracer
  readonly #timings: PageTimings
  readonly #roots: PageRoots
  readonly #transitions: Transitions
  readonly #server = readServerTrace()
  readonly #propagator: PagePropagator

  constructor(facts: BuildManifest, session: VisitorSession) {
    const { signal } = this.#lifetime
    const clock = pageClock
    const { basePath } = facts
    const current = this.#current
    const drops = new PageDrops()
    const matcher = createRouteMatcher(facts.routes, basePath)
    this.#facts = facts
    this.#delivery = new Delivery({
      nativeFetch: window.fetch.bind(window),
      tunnel: facts.tunnel === undefined ? undefined : `${basePath}${facts.tunnel}`,
      drops,
      signal,
      incoming: (traceId) => (traceId === this.#server?.parent.traceId ? this.#server.samplingContext : undefined),
    })
    this.#propagator = new PagePropagator(this.#delivery.sampling, (traceId) => {
      const span = current.root?.span
      return span?.spanContext().traceId === traceId ? this.#delivery.samplingContext(span) : undefined
    })
    this.#tracer = createTracerProvider(current, this.#delivery, drops).getTracer(TRACER_NAME)
    this.#timings = new PageTimings(this.#tracer, current, facts.queryParameters)
    this.#roots = new PageRoots({
      tracer: this.#tracer,
      clock,
      matcher,
      basePath,
      current,
      sessionId: () => session.id(),
      beforeEnd: (root, endedAt) => {
        this.#timings.record(root, endedAt)
        this.#vitals.describe(root)
      },
      onEnded: () => this.#delivery.spans.flush(),
    })
    this.#transitions = new Transitions({ roots: this.#roots, acts: new UserActivity(clock, signal), clock, basePath })
  }

  /** @param withPageload whether this document's own load is still to be told. */
  start(withPageload: boolean): void {
    const { signal } = this.#lifetime
    if (withPageload) beginPageload(this.#roots, this.#server, signal)
    const areTimed = this.#timings.watch(signal)
    const requests = this.#traceRequests(areTimed)
    watchErrors((...error) => this.#noteError(...error), signal)
    watchLeaving((reason) => safely(() => this.#leave(reason)), signal)
    watchRestoring((at) => {
      this.#delivery.resume()
      safely(() => this.#transitions.restored(at))
    }, signal)
    // What comes late is not worth an error in the page: without it a page sends what it has when it is left.
    this.#startLate(requests).catch(() => undefined)
  }

  stop(): void {
    this.#lifetime.abort()
    this.#delivery.stop()
    this.#roots.end("page_left")
    trace.disable()
    context.disable()
  }

  committed(commit: RouteCommit, at: number): void {
    this.#transitions.committed(commit, at)
  }

  transitionStarted(url: string, type: string): void {
    this.#transitions.started(url, type)
  }

  reportError(error: unknown): void {
    this.#noteError(error, "", { type: "auto.react.error_boundary", handled: true })
  }

  currentTraceId(): string | undefined {
    return this.#current.root?.span.spanContext().traceId
  }

  #traceRequests(areTimed: boolean): RequestTracing {
    const { routes, handlers, basePath, queryParameters, recordsPrefetches, traceOrigins } = this.#facts
    const tracing: RequestTracing = {
      tracer: this.#tracer,
      clock: pageClock,
      matcher: createRouteMatcher([...routes, ...handlers], basePath),
      current: this.#current,
      propagator: this.#propagator,
      queryParameters,
      recordsPrefetches,
      traceOrigins: new Set(traceOrigins),
      dropped: (reason) => this.#delivery.drops.count(reason, "span", 1),
    }
    const ends = this.#timings.endsOfResponses(areTimed)
    // A page that froze its `fetch`, or has no `XMLHttpRequest`, is traced without.
    for (const begin of [() => traceFetch(tracing, ends), () => traceXhr(tracing)])
      safely(() => this.#lifetime.signal.addEventListener("abort", begin()))
    return tracing
  }

  async #startLate(requests: RequestTracing): Promise<void> {
    await whenIdle()
    const { signal } = this.#lifetime
    if (signal.aborted) return
    const { startLate } = await loadOwn(() => import("./start-late.ts"))
    if (signal.aborted) return
    startLate({
      delivery: this.#delivery,
      propagator: this.#propagator,
      tracer: this.#tracer,
      current: this.#current,
      vitals: this.#vitals,
      timings: this.#timings,
      requests,
      signal,
    })
  }

  #leave(reason: "page_left" | "document_hidden"): void {
    this.#delivery.beginLeaving(reason)
    this.#roots.end(reason)
    this.#delivery.leave()
  }

  /** The error goes on the active span as an event, and then on its way to Sentry. */
  #noteError(thrown: unknown, message: string, mechanism: ErrorMechanism, position?: ScriptPosition): void {
    // The root, where no other span is active; an ended one takes no more events.
    const active = trace.getActiveSpan() as (Span & ReadableSpan) | undefined
    const text = message || textOf(thrown)
    const digest = digestOf(thrown)
    // The server has reported an error with a digest already, with its real message and stack.
    if (digest !== undefined)
      return void active?.addEvent("exception", { "exception.message": text, [ERROR_DIGEST]: digest })
    active?.recordException(thrown instanceof Error ? thrown : text)
    const root = this.#current.root?.span
    this.#delivery.sentry.addError({ thrown, message, position, mechanism, at: pageClock.now(), span: active, root })
  }
}
