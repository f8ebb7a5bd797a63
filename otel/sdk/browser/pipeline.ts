import { context, type Span, trace, type Tracer, type TracerProvider } from "@opentelemetry/api"
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import type { BuildManifest } from "../routes/build-manifest.ts"
import { createRouteMatcher } from "../routes/matcher.ts"
import { safely } from "../safely.ts"
import { digestOf, ERROR_DIGEST, textOf } from "../sentry/error-digest.ts"
import { pageClock } from "./clock.ts"
import { Delivery } from "./delivery/delivery.ts"
import { readServerTrace } from "./document.ts"
import { type ErrorListener, watchErrors } from "./errors/page-errors.ts"
import { loadOwn } from "./own-scripts.ts"
import { installInstrumentations } from "./page.ts"
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
import { Transitions } from "./roots/transitions.ts"
import type { VisitorSession } from "./session.ts"
import { PageTimings } from "./timings/page-timings.ts"

/**
 * The page's tracer, stage by stage. A reader opens the file of the stage that matters:
 *
 * 1. settings: `document.ts`, what the server wrote into the HTML; `routes/build-manifest.ts`, what the build knows
 * 2. consent: `start.ts`, which makes one pipeline for each grant
 * 3. root: `roots/pageload.ts` and `roots/transitions.ts` begin roots, `roots/page-roots.ts` names them, `roots/page-root.ts` ends them
 * 4. requests, errors and vitals: `requests/`, `errors/page-errors.ts`, `timings/`
 * 5. processors: `provider.ts` registers them, `page-bridge.ts` builds Sentry's transactions
 * 6. delivery: `delivery/delivery.ts` queues; `start-late.ts` loads `delivery/late-delivery.ts`, which sends
 * 7. tunnel: `delivery/page-fetch.ts` posts to it, or to the DSN and the collector without one
 */
export class PagePipeline {
  readonly #lifetime = new AbortController()
  readonly #current = new CurrentRoot()
  readonly #server = readServerTrace()
  readonly #facts: BuildManifest
  readonly #delivery: Delivery
  readonly #propagator: PagePropagator
  readonly #provider: TracerProvider
  readonly #tracer: Tracer
  readonly #timings: PageTimings
  readonly #roots: PageRoots
  readonly #transitions: Transitions

  constructor(facts: BuildManifest, session: VisitorSession) {
    const { signal } = this.#lifetime
    const { basePath, routes, tunnel, queryParameters } = facts
    const current = this.#current
    const delivery = new Delivery(tunnel && `${basePath}${tunnel}`, this.#server, signal)
    const provider = createTracerProvider(current, delivery)
    const tracer = provider.getTracer("pagespan")
    const timings = new PageTimings({ tracer, current, queryParameters, signal })
    this.#facts = facts
    this.#delivery = delivery
    this.#propagator = new PagePropagator(delivery, current)
    this.#provider = provider
    this.#tracer = tracer
    this.#timings = timings
    this.#roots = new PageRoots({
      tracer,
      clock: pageClock,
      matcher: createRouteMatcher(routes, basePath),
      basePath,
      current,
      sessionId: () => session.id(),
      beforeEnd: (root, endedAt) => timings.record(root, endedAt),
      onEnded: () => delivery.spans.flush(),
    })
    this.#transitions = new Transitions(this.#roots, basePath, signal)
  }

  /** @param withPageload whether to record the load of this document: once, whatever becomes of consent. */
  start(withPageload: boolean): void {
    const { signal } = this.#lifetime
    if (withPageload) beginPageload(this.#roots, this.#server, signal)
    const requests = this.#traceRequests()
    watchErrors(this.#recordError, signal)
    watchLeaving((reason) => safely(() => this.#leave(reason)), signal)
    watchRestoring((at) => {
      this.#delivery.hasLeft = false
      safely(() => this.#transitions.restored(at))
    }, signal)
    // Without the late chunk a page still sends what it has when it is left.
    this.#startLate(requests).catch(() => undefined)
  }

  /** Ends tracing and restores what it patched. What was not sent is discarded. */
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
    this.#recordError(error, "", { type: "auto.react.error_boundary", handled: true })
  }

  currentTraceId(): string | undefined {
    return this.#current.root?.span.spanContext().traceId
  }

  #traceRequests(): RequestTracing {
    const { routes, handlers, basePath, queryParameters, recordsPrefetches, traceOrigins } = this.#facts
    const tracing: RequestTracing = {
      provider: this.#provider,
      tracer: this.#tracer,
      matcher: createRouteMatcher([...routes, ...handlers], basePath),
      current: this.#current,
      propagator: this.#propagator,
      ends: this.#timings.ends,
      queryParameters,
      recordsPrefetches,
      traceOrigins,
      dropped: (reason) => this.#delivery.drops.count(reason, "span", 1),
    }
    // A page may have frozen its `fetch`, or have no `XMLHttpRequest`.
    for (const begin of [installInstrumentations, traceFetch, traceXhr])
      safely(() => this.#lifetime.signal.addEventListener("abort", begin(tracing)))
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
      timings: this.#timings,
      requests,
      signal,
    })
  }

  #leave(reason: "page_left" | "document_hidden"): void {
    // First: what the end of a root sends must not wait for a response.
    this.#delivery.hasLeft ||= reason === "page_left"
    this.#roots.end(reason)
    this.#delivery.leave()
  }

  /** Records the error as an event of the active span, and sends it to Sentry. */
  readonly #recordError: ErrorListener = (thrown, message, mechanism, position) => {
    // The root, where no other span is active. An ended span takes no events.
    const active = trace.getActiveSpan() as (Span & ReadableSpan) | undefined
    const text = message || textOf(thrown)
    const digest = digestOf(thrown)
    // The server has already reported an error with a digest, with its real message and stack.
    if (digest !== undefined)
      return void active?.addEvent("exception", { "exception.message": text, [ERROR_DIGEST]: digest })
    active?.recordException(thrown instanceof Error ? thrown : text)
    const root = this.#current.root?.span
    this.#delivery.sentry.addError({ thrown, message, position, mechanism, at: pageClock.now(), span: active, root })
  }
}
