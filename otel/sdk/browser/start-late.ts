import { propagation, trace, type Tracer } from "@opentelemetry/api"
import { safely } from "../../protocol/safely.ts"
import type { registerThrough } from "./api/register.ts"
import type { Delivery } from "./delivery/delivery.ts"
import { LateDelivery } from "./delivery/late-delivery.ts"
import { errorSpans } from "./errors/error-spans.ts"
import { Rhythms } from "./requests/polling.ts"
import { namedByAnswer } from "./requests/served-route.ts"
import type { Recorder } from "./recorder/recorder.ts"
import { takeOver } from "./recorder/successor.ts"
import type { RequestTracing } from "./requests/traced-request.ts"
import type { CurrentRoot } from "./roots/current-root.ts"
import type { PageRoots } from "./roots/page-roots.ts"
import type { PagesRouter } from "./roots/pages-router.ts"
import type { shownNow } from "./roots/route-name.ts"
import { ShallowEntries } from "./roots/shallow-entries.ts"
import type { Transitions } from "./roots/transitions.ts"
import { LongFrames } from "./timings/long-frames.ts"
import type { PageTimings } from "./timings/page-timings.ts"
import { watchVitals } from "./timings/watch-vitals.ts"

/** What the stages of the pipeline hand to those that start late. */
export interface LateOptions {
  readonly delivery: Delivery
  readonly recorder: Recorder
  readonly tracer: Tracer
  readonly current: CurrentRoot
  readonly timings: PageTimings
  readonly requests: RequestTracing
  readonly roots: PageRoots
  readonly transitions: Transitions
  readonly signal: AbortSignal
  // A bundler inlines a file that only the first load imports.
  readonly shownNow: typeof shownNow
  readonly registerThrough: typeof registerThrough
}

/**
 * Starts what a page does not need before it is idle: OpenTelemetry's SDK, which takes over from the recorder; most of delivery;
 * web vitals and long animation frames, which the browser buffers; the recognition of polling, of shallow history entries and of
 * pages without an observer; and OpenTelemetry's propagation API for the app's own code. The tracer itself injects headers
 * without that API, which brings all of baggage with it.
 */
export function startLate(options: LateOptions): void {
  const { delivery, recorder, tracer, current, timings, requests, roots, transitions, signal } = options
  safely(() => takeOver(recorder))
  options.registerThrough(trace, recorder, signal)
  const late = new LateDelivery(delivery)
  delivery.late = late
  // Without Sentry everything else continues: this is not worth an error in the page.
  late.open(errorSpans(options)).catch(() => undefined)
  if (propagation.setGlobalPropagator(requests.propagator))
    signal.addEventListener("abort", () => propagation.disable())
  requests.rhythms = new Rhythms()
  requests.Fetched = namedByAnswer(requests.Fetched)
  // What the router shows where no observer reports it: Next writes it into the history. Elsewhere this repeats the observer.
  const note = (at: number) =>
    safely(() => {
      const commit = options.shownNow()
      if (commit.tree) transitions.committed(commit, at)
    })
  transitions.entries = new ShallowEntries(roots, current, note, signal)
  // The page was shown at some time before this, and nothing waits for it.
  note(current.root?.startedAt ?? 0)
  if (typeof __PAGESPAN_PAGES_ROUTER__ !== "undefined" && __PAGESPAN_PAGES_ROUTER__) {
    const loadedAt = current.root?.startedAt ?? 0
    // Only the Pages Router has events.
    const { router } = (window as { next?: { router?: Partial<PagesRouter> } }).next ?? {}
    if (router?.events)
      delivery
        .loadOwn(() => import("./roots/pages-router.ts"))
        .then((each) => each.watchPagesRouter(router as PagesRouter, transitions, loadedAt, signal))
        .catch(() => undefined)
  }
  const frames = new LongFrames()
  timings.recorders.push((root, endedAt) => frames.record(tracer, current, root, endedAt))
  timings.watch("long-animation-frame", (entry) => frames.add(entry), signal)
  watchVitals({ tracer, current, vitals: timings.vitals, signal })
}
