import { context, type Span, trace, type TracerProvider } from "@opentelemetry/api"
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
import { watchLeaving, watchRestoring, whenIdle } from "./page-lifecycle.ts"
import { hasInstrumentations, installInstrumentations } from "./page.ts"
import { PagePropagator } from "./propagator.ts"
import { createRecorder, registerGlobally } from "./provider.ts"
import { traceFetch } from "./requests/traced-fetch.ts"
import type { RequestTracing } from "./requests/traced-request.ts"
import { traceXhr } from "./requests/traced-xhr.ts"
import { CurrentRoot } from "./roots/current-root.ts"
import type { EndReason } from "./roots/page-root.ts"
import { PageRoots } from "./roots/page-roots.ts"
import { beginPageload } from "./roots/pageload.ts"
import { shownNow } from "./roots/route-name.ts"
import { Transitions } from "./roots/transitions.ts"
import { rootSession, type VisitorSession } from "./session.ts"
import type { LateOptions } from "./start-late.ts"
import { PageTimings } from "./timings/page-timings.ts"

/** A page while it is traced. */
export interface PagePipeline {
  committed(): void
  transitionStarted(url: string, type: string): void
  reportError(error: unknown): void
  currentTraceId(): string | undefined
  /** Ends tracing and restores what it patched. What was not sent is discarded. */
  stop(): void
}

interface PipelineOptions {
  readonly facts: BuildManifest
  readonly session: VisitorSession
  /** Whether to record the load of this document: once, whatever becomes of consent. */
  readonly withPageload: boolean
}

/** The stages of a page that is traced. */
interface Tracing {
  readonly provider: TracerProvider
  readonly delivery: Delivery
  readonly requests: RequestTracing
  readonly roots: PageRoots
  readonly transitions: Transitions
  readonly recordError: ErrorListener
}

/**
 * Hooks what the page does: its requests, errors, spans, transitions and its end. The stages behind the hooks start with the
 * first of these, or else in a task of their own: most of a start is code that runs for the first time, and the page
 * hydrates before it. Nothing is missed, since the browser keeps the times of what happened earlier.
 */
export function startPipeline(options: PipelineOptions): PagePipeline {
  const lifetime = new AbortController()
  const { signal } = lifetime
  const current = new CurrentRoot()
  const nativeFetch = window.fetch.bind(window)
  let tracing: Tracing | undefined
  let hasBegun = false
  /** When the router showed the page, if that was before the start. It does not repeat the commit. */
  let committedAt: number | undefined
  /** The running stages. `undefined` during their start, and if they failed to start or were stopped before it. */
  const started = (): Tracing | undefined => {
    if (hasBegun) return tracing
    hasBegun = true
    safely(
      () => {
        tracing = startTracing(options, current, nativeFetch, signal)
        if (committedAt !== undefined) tracing.transitions.committed(shownNow(), committedAt)
      },
      // Hooks without stages behind them only cost.
      () => lifetime.abort(),
    )
    return tracing
  }
  // Instrumentations of the app patch `fetch` below ours.
  if (hasInstrumentations()) started()
  registerGlobally(
    () => started()?.provider,
    () => (started(), current.context),
  )
  const requests = () => started()?.requests
  // A page may have frozen its `fetch`, or have no `XMLHttpRequest`.
  for (const begin of [traceFetch, traceXhr]) safely(() => signal.addEventListener("abort", begin(requests)))
  watchErrors((...error) => started()?.recordError(...error), signal)
  watchLifecycle(started, signal)
  pageClock.setTimeout(started, 0)
  return {
    committed: () => {
      const now = pageClock.now()
      if (tracing === undefined) committedAt ??= now
      else tracing.transitions.committed(shownNow(), now)
    },
    transitionStarted: (url, type) => started()?.transitions.started(url, type),
    reportError: (error) => started()?.recordError(error, "", { type: "auto.react.error_boundary", handled: true }),
    currentTraceId: () => (started(), current.root?.span.spanContext().traceId),
    stop: () => {
      hasBegun = true
      lifetime.abort()
      tracing?.delivery.stop()
      tracing?.roots.end("page_left")
      trace.disable()
      context.disable()
    },
  }
}

/**
 * Starts the stages of a traced page. A reader opens the file of the stage that matters:
 *
 * 1. settings: `document.ts`, what the server wrote into the HTML; `routes/build-manifest.ts`, what the build knows
 * 2. consent: `start.ts`, which makes one pipeline for each grant
 * 3. root: `roots/pageload.ts` and `roots/transitions.ts` begin roots, `roots/page-roots.ts` names them, `roots/page-root.ts` ends them
 * 4. requests, errors and vitals: `requests/`, `errors/page-errors.ts`, `timings/`
 * 5. processors: `provider.ts` creates them, `page-bridge.ts` builds Sentry's transactions
 * 6. delivery: `delivery/delivery.ts` queues; `start-late.ts` loads `delivery/late-delivery.ts`, which sends
 * 7. tunnel: `delivery/page-fetch.ts` posts to it, or to the DSN and the collector without one
 */
function startTracing(
  { facts, session, withPageload }: PipelineOptions,
  current: CurrentRoot,
  nativeFetch: typeof globalThis.fetch,
  signal: AbortSignal,
): Tracing {
  const { basePath, routes, tunnel, queryParameters = [] } = facts
  const server = readServerTrace()
  const delivery = new Delivery({ tunnel: tunnel && `${basePath}${tunnel}`, server, nativeFetch, signal })
  const provider = createRecorder(current, delivery)
  const tracer = provider.getTracer("pagespan")
  const timings = new PageTimings({ tracer, current, queryParameters, signal })
  const { id: sessionId, identify } = rootSession(session, signal)
  timings.recorders.push(identify)
  const roots = new PageRoots({
    tracer,
    clock: pageClock,
    matcher: createRouteMatcher(routes, basePath),
    current,
    sessionId,
    beforeEnd: (root, endedAt) => timings.record(root, endedAt),
    onEnded: () => delivery.isGathering || delivery.spans.flush(),
  })
  const transitions = new Transitions(roots, basePath, signal)
  const propagator = new PagePropagator(delivery, current)
  if (withPageload) beginPageload(roots, server, signal)
  const requests: RequestTracing = {
    ...facts,
    queryParameters,
    provider,
    tracer,
    matcher: createRouteMatcher([...routes, ...facts.handlers], basePath),
    current,
    propagator,
    ends: timings.ends,
    dropped: (reason) => delivery.drops.count(reason, "span", 1),
  }
  safely(() => signal.addEventListener("abort", installInstrumentations(requests)))
  // Without the late chunk a page still sends what it has when it is left.
  const late = {
    delivery,
    recorder: provider,
    propagator,
    tracer,
    current,
    timings,
    requests,
    roots,
    transitions,
    signal,
    shownNow,
  }
  startWhenIdle(late, () => identify(current.open)).catch(() => undefined)
  return { provider, delivery, requests, roots, transitions, recordError: errorRecorder(current, delivery) }
}

function watchLifecycle(started: () => Tracing | undefined, signal: AbortSignal): void {
  const gather = () => {
    const tracing = started()
    if (tracing !== undefined) tracing.delivery.isGathering = true
    return tracing
  }
  const leave = (reason: EndReason) => {
    const { delivery, roots } = gather() ?? {}
    if (delivery === undefined) return
    // First: what the end of a root sends must not wait for a response.
    delivery.hasLeft ||= reason === "page_left"
    safely(() => roots?.end(reason))
    safely(() => delivery.leave())
  }
  watchLeaving(gather, leave, signal)
  watchRestoring((at) => {
    const tracing = started()
    if (tracing !== undefined) tracing.delivery.hasLeft = false
    safely(() => tracing?.transitions.restored(at))
  }, signal)
}

async function startWhenIdle(options: LateOptions, onIdle: () => void): Promise<void> {
  await whenIdle()
  const { signal } = options
  if (signal.aborted) return
  onIdle()
  const { startLate } = await loadOwn(() => import("./start-late.ts"))
  if (!signal.aborted) startLate(options)
}

/** Records an error as an event of the active span, and sends it to Sentry. */
function errorRecorder(current: CurrentRoot, delivery: Delivery): ErrorListener {
  return (thrown, message, mechanism, position) => {
    // The root, where no other span is active. An ended span takes no events.
    const active = trace.getActiveSpan() as (Span & ReadableSpan) | undefined
    const text = message || textOf(thrown)
    const digest = digestOf(thrown)
    // The server has already reported an error with a digest, with its real message and stack.
    if (digest !== undefined)
      return void active?.addEvent("exception", { "exception.message": text, [ERROR_DIGEST]: digest })
    active?.recordException(thrown instanceof Error ? thrown : text)
    const root = current.root?.span
    delivery.sentry.addError({ thrown, message, position, mechanism, at: pageClock.now(), span: active, root })
  }
}
