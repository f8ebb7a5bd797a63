import type { Exception, Span, TraceAPI } from "@opentelemetry/api"
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import type { BuildManifest } from "../routes/build-manifest.ts"
import { createRouteMatcher } from "../routes/matcher.ts"
import { currentFilters } from "../filters.ts"
import { processState } from "../process-state.ts"
import { safely } from "../../protocol/safely.ts"
import { digestOf, ERROR_DIGEST, textOf } from "../sentry/error-digest.ts"
import type { SpanMapping } from "../sentry/span-mapping.ts"
import { spanOf, STATUS_ERROR } from "./api/contexts.ts"
import { registerGlobally, registerThrough } from "./api/register.ts"
import { followSystemClock, pageClock } from "./clock.ts"
import { Delivery } from "./delivery/delivery.ts"
import { readServerTrace } from "./document.ts"
import { exceptionText } from "./errors/exception-text.ts"
import type { ErrorListener } from "./errors/page-errors.ts"
import type { SentryCalls } from "./errors/sentry-calls.ts"
import { loadOwn } from "./own-scripts.ts"
import { whenIdle } from "./page-lifecycle.ts"
import { PageBridge } from "./page-bridge.ts"
import { installInstrumentations } from "./page.ts"
import { PagePropagator } from "./propagator.ts"
import { newTraceId } from "./recorder/ids.ts"
import { Recorder } from "./recorder/recorder.ts"
import type { FetchArguments } from "./requests/outgoing-request.ts"
import { sendFetch } from "./requests/traced-fetch.ts"
import { type Fetch, type RequestTracing, TracedRequest } from "./requests/traced-request.ts"
import { beginXhr, type XhrCall } from "./requests/traced-xhr.ts"
import { CurrentRoot } from "./roots/current-root.ts"
import { PageRoots } from "./roots/page-roots.ts"
import { beginPageload } from "./roots/pageload.ts"
import { shownNow } from "./roots/route-name.ts"
import { Transitions } from "./roots/transitions.ts"
import { rootSession } from "./session.ts"
import type { LateOptions } from "./start-late.ts"
import { PageTimings } from "./timings/page-timings.ts"

/** Op and status of our own spans. `sanitizePayload`, which is loaded with the client, derives those of the app's spans. */
const OWN_SPAN_MAPPING: SpanMapping = {
  op: ({ attributes }) => attributes["sentry.op"] as string | undefined,
  status: ({ status }) => (status.code === STATUS_ERROR ? "internal_error" : "ok"),
}

export interface TracingOptions {
  readonly facts: BuildManifest
  /** Whether to record the load of this document: once, whatever becomes of consent. */
  readonly withPageload: boolean
  /** OpenTelemetry's API, where the app's pages bring it. Otherwise it is loaded late. */
  readonly api?: TraceAPI | undefined
}

/** The stages of a page that is traced, and what the hooks call. */
export interface Tracing extends LateOptions {
  readonly recordError: ErrorListener
  /** Sends a request of the page by its own `fetch`, and traces it. */
  fetch(native: Fetch, self: unknown, args: FetchArguments): Promise<Response> | undefined
  /** Traces a request that the page is about to send. */
  xhr(xhr: XMLHttpRequest, call: XhrCall): void
  /** The router shows a page since a time, in milliseconds since the epoch. */
  committed(at: number): void
}

/**
 * Starts the stages of a traced page. A reader opens the file of the stage that matters:
 *
 * 1. settings: `document.ts`, what the server wrote into the HTML; `routes/build-manifest.ts`, what the build knows
 * 2. consent: `start.ts`, which makes one pipeline for each grant
 * 3. root: `roots/pageload.ts` and `roots/transitions.ts` begin roots, `roots/page-roots.ts` names them, `roots/page-root.ts` ends them
 * 4. requests, errors and vitals: `requests/`, `errors/page-errors.ts`, `timings/`
 * 5. spans: `recorder/recorder.ts` makes them, `page-bridge.ts` builds Sentry's transactions
 * 6. delivery: `delivery/delivery.ts` queues; `start-late.ts` loads `delivery/late-delivery.ts`, which sends
 * 7. tunnel: `delivery/page-fetch.ts` posts to it, or to the DSN and the collector without one
 */
export function startTracing(options: TracingOptions, nativeFetch: Fetch, signal: AbortSignal): Tracing {
  const { facts, withPageload, api } = options
  const { basePath, routes, queryParameters = [] } = facts
  const server = readServerTrace()
  const matcher = createRouteMatcher([...routes, ...facts.handlers], basePath, facts.secrets)
  const delivery = new Delivery({ ...facts, matcher, server, nativeFetch, signal })
  const current = new CurrentRoot()
  const provider = createRecorder(current, delivery)
  registerGlobally(provider, current, signal, api)
  const tracer = provider.getTracer("pagespan")
  const { id: sessionId, identify } = rootSession(signal)
  const roots = new PageRoots({
    tracer,
    clock: pageClock,
    matcher,
    current,
    sessionId,
    beforeEnd: (root, endedAt) => timings.record(root, endedAt),
    onEnded: () => delivery.isGathering || delivery.spans.flush(),
  })
  const transitions = new Transitions(roots, basePath, signal)
  if (withPageload) beginPageload(roots, server, signal)
  // After the root: WebKit reports the resources that have arrived before this returns.
  const timings = new PageTimings({ tracer, current, matcher, queryParameters, signal })
  timings.recorders.push(identify)
  const requests: RequestTracing = {
    ...facts,
    queryParameters,
    provider,
    tracer,
    matcher,
    withoutHeaders: createRouteMatcher(facts.pathsWithoutTraceHeaders, basePath),
    current,
    propagator: new PagePropagator(delivery, current),
    ends: timings.ends,
    Fetched: TracedRequest,
    dropped: (reason) => delivery.drops.count(reason, "span", 1),
  }
  safely(() => signal.addEventListener("abort", installInstrumentations(requests)))
  const stages: LateOptions = {
    delivery,
    recorder: provider,
    tracer,
    current,
    timings,
    requests,
    roots,
    transitions,
    signal,
    shownNow,
    registerThrough,
  }
  startWhenIdle(stages, () => identify(current.open)).catch(() => undefined)
  return {
    ...stages,
    recordError: errorRecorder(current, delivery),
    fetch: (native, self, args) => sendFetch(requests, native, self, args),
    xhr: (xhr, call) => beginXhr(requests, xhr, call),
    committed: (at) => transitions.committed(shownNow(), at),
  }
}

/** Creates the page's tracer provider: a recorder, until OpenTelemetry's SDK takes over. */
function createRecorder(current: CurrentRoot, delivery: Delivery): Recorder {
  const { destination, drops, sampling, sentry, spans } = delivery
  const bridge = new PageBridge({
    side: "page",
    filters: currentFilters,
    filterFailed: (filter, error) => {
      delivery.late?.filterFailed(filter, error)
      // Not reported to Sentry: nothing was dropped.
      drops.add("filter_failed", "internal", 1)
    },
    deliver: (transaction) => sentry.addTransaction(transaction),
    drop: drops.count,
    newEventId: newTraceId,
    mapping: OWN_SPAN_MAPPING,
  })
  const { settings } = destination
  const { language } = navigator as Partial<Navigator>
  const attributes = {
    ...(settings && { "service.name": settings.service }),
    "telemetry.sdk.name": "opentelemetry",
    "telemetry.sdk.language": "webjs",
    ...(language && { "browser.language": language }),
  }
  return new Recorder({
    // What reads our spans reads nothing else of it.
    resource: { attributes } as unknown as ReadableSpan["resource"],
    listeners: [bridge, spans, current],
    isSampled: (parent, traceId) => sampling.decide(parent, traceId),
  })
}

/** Starts what is loaded late. Without that chunk a page still sends what it has when it is left. */
async function startWhenIdle(options: LateOptions, onIdle: () => void): Promise<void> {
  await whenIdle()
  const { signal } = options
  if (signal.aborted) return
  onIdle()
  const { startLate } = await loadOwn(() => import("./start-late.ts"))
  if (!signal.aborted) startLate(options)
}

/**
 * Records an error as an event of the active span, if that is open, and sends it to Sentry, unless the app's own client does. An error
 * that no span has recorded gets a span of its own (`error-spans.ts`).
 */
function errorRecorder(current: CurrentRoot, delivery: Delivery): ErrorListener {
  // In strict mode React runs an effect that reports twice.
  const seen = new WeakSet()
  return (thrown, message, mechanism, position) => {
    // `Object` returns an object as it is, and makes a new one of any other value.
    const key = Object(thrown) as object
    if (seen.has(key)) return
    seen.add(key)
    // The root, where no other span is active. An ended span takes no events.
    const active = spanOf(current.active()) as (Span & ReadableSpan) | undefined
    const text = exceptionText(message || textOf(thrown))
    const digest = digestOf(thrown)
    // The server has already reported an error with a digest, with its real message and stack.
    if (digest) return void active?.addEvent("exception", { "exception.message": text, [ERROR_DIGEST]: digest })
    // OpenTelemetry takes a `code`, such as a DOMException's number, for the type.
    const own =
      thrown instanceof Error
        ? { name: thrown.name, message: exceptionText(thrown.message), stack: exceptionText(thrown.stack ?? "") }
        : text
    const calls =
      (typeof __PAGESPAN_SENTRY_IN_PAGES__ === "undefined" || __PAGESPAN_SENTRY_IN_PAGES__) &&
      processState<SentryCalls>("sentry-calls").value
    let exception: Exception | undefined = own
    if (calls && calls.isMessage(thrown)) exception = undefined
    else if (active && !active.ended) exception = void active.recordException(own)
    const isTaken = calls && calls.take(thrown, mechanism)
    if (isTaken && exception === undefined) return
    if (current.open === undefined) followSystemClock()
    const at = pageClock.now()
    const error = { thrown, exception, message, position, mechanism, at, span: active, root: current.root?.span }
    delivery.sentry.addError(isTaken ? { ...error, isTaken } : error)
  }
}
