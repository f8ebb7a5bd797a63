import type { ActivityScope } from "../list/trace-reader.ts"
import type { SpanRows } from "../routes/pages-of-trace.ts"
import type { RouteKind, Vital } from "../routes/route-reader.ts"
import type { Distribution } from "./distribution.ts"

/** One kind of durations, or one web vital, of a route. Milliseconds; for `cls` a score. */
export interface RouteFigures extends Distribution {
  readonly route: string
  readonly measure: RouteKind | Vital
  /** Those that failed, or in whose trace an error was reported (of a request: by its own service); 0 for a vital. */
  readonly failed: number
}

/** Spans of a trace, each once, in columns. */
export interface SpansOfTrace extends SpanRows {
  readonly traceId: string
  readonly names: readonly string[]
  /** HTTP requests that a service sent, and scripts, styles, images and fonts of a page. */
  readonly isRequest: readonly boolean[]
  /** Spans of kind server or consumer: what is below them, another service did. */
  readonly isServer: readonly boolean[]
  /** Size of the response; 0 where the data does not have it. */
  readonly bytes: readonly number[]
}

/** The span of a page load, a navigation or a request. */
export interface View {
  readonly traceId: string
  readonly spanId: string
  readonly route: string
  readonly kind: RouteKind
}

/** Whole traces of a scope, chosen by their ids alone. */
export interface ViewSample {
  /** Traces of the scope. */
  readonly traces: number
  readonly sampled: readonly SpansOfTrace[]
  readonly views: readonly View[]
}

/** The store's queries for budgets. Methods reject with `StoreUnavailable` while the store is unavailable. */
export interface BudgetReader {
  /** Durations and vitals by route, the busiest first, at most 10,000. */
  measureFigures(scope: ActivityScope): Promise<readonly RouteFigures[]>
  /** @param limit rows of spans at most. Traces with more are not in the sample. */
  sampleViews(scope: ActivityScope, limit: number): Promise<ViewSample>
}
