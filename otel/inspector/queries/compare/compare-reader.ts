import type { TraceId } from "../../../protocol/records/ids.ts"
import type { Nanoseconds } from "../../../protocol/records/time.ts"
import type { ActivityScope } from "../list/trace-reader.ts"
import type { RouteKind } from "../routes/route-reader.ts"
import type { Measured } from "./comparison.ts"

/** One kind of times of a route, on both sides. */
export interface MeasuredRoute {
  readonly route: string
  readonly kind: RouteKind
  readonly a: Measured
  readonly b: Measured
}

export interface MeasuredRoutes {
  /** Those that take the most time, on both sides together. */
  readonly routes: readonly MeasuredRoute[]
  /** More than `routes` has where it was cut. */
  readonly total: number
}

/** Whole traces of a scope, chosen by their ids alone, so that every trace is as likely as another. */
export interface TraceSample {
  /** Traces of the scope. */
  readonly traces: number
  readonly sampled: readonly SampledTrace[]
}

/** Spans of a trace, each once, in columns. */
export interface SampledTrace {
  readonly ids: readonly string[]
  /** Empty for a span without a parent. */
  readonly parents: readonly string[]
  readonly services: readonly string[]
  readonly names: readonly string[]
  /** Milliseconds. */
  readonly durations: readonly number[]
  readonly failed: readonly boolean[]
}

/** A `service.version` of a service, by its roots and its server and consumer spans. */
export interface Release {
  readonly service: string
  readonly release: string
  readonly first: Nanoseconds
  readonly last: Nanoseconds
}

/** A root span, or a page load, whose like the store looks for. */
export interface RootLike {
  readonly service: string
  readonly name: string
  /** Whether it is a page load. The request of its document can be the root of its trace, and says little about it. */
  readonly isPageload: boolean
  readonly start: Nanoseconds
  /** Its own trace. */
  readonly except: TraceId
}

export interface TypicalTrace {
  readonly traceId: TraceId
  readonly startTime: Nanoseconds
  /** Of its root or page load. */
  readonly duration: Nanoseconds
  /** `service.version` of its root; empty without one. */
  readonly release: string
}

/** Traces whose root or page load has the same service and name and did not fail. */
export interface TypicalTraces {
  /** Traces from a day before the start to a day after it. */
  readonly count: number
  readonly median: TypicalTrace | undefined
  readonly fastest: TypicalTrace | undefined
  /** Traces of the day before these. */
  readonly yesterdayCount: number
  readonly yesterdayMedian: TypicalTrace | undefined
}

/** The store's queries for comparisons. Methods reject with `StoreUnavailable` while the store is unavailable. */
export interface CompareReader {
  /** Page loads, navigations and requests by route, counted as those of the list of routes. */
  measureRoutes(a: ActivityScope, b: ActivityScope): Promise<MeasuredRoutes>
  /** @param limit rows of spans at most: a span that both protocols sent has two. Traces with more are not in the sample. */
  sampleTraces(scope: ActivityScope, limit: number): Promise<TraceSample>
  /** Releases of the scope's window whose first span is the latest, latest first. */
  listReleases(scope: Pick<ActivityScope, "since" | "until" | "withoutServices">): Promise<readonly Release[]>
  /** Of each group that of median duration, the upper one of two. */
  findTypicalTraces(like: RootLike): Promise<TypicalTraces>
}
