import type { TraceId } from "../../../protocol/records/ids.ts"
import type { Nanoseconds } from "../../../protocol/records/time.ts"
import type { Difference } from "../compare/comparison.ts"
import type { Steps } from "../list/time-range.ts"

/** The kinds of durations of a route: page loads, navigations within the page, and requests to a server. */
export const ROUTE_KINDS = ["load", "navigation", "request"] as const
export type RouteKind = (typeof ROUTE_KINDS)[number]

export const VITALS = ["lcp", "inp", "cls", "fcp", "ttfb"] as const
export type Vital = (typeof VITALS)[number]

/** Milliseconds. */
export interface Percentiles {
  readonly p50: number
  readonly p75: number
  readonly p95: number
  readonly p99: number
}

/** Times of one kind of a route in a time window. */
export interface RouteTimes extends Percentiles {
  readonly count: number
  /** Those that failed, or in whose trace an error was reported; of a request, by its own service. */
  readonly failed: number
  /** Of the median, against the window of equal length before; where it was compared. Milliseconds. */
  readonly p50Change?: Difference | undefined
}

/** Milliseconds; for `cls` a score. The 75th percentile, by which Google rates a site. */
export interface VitalFigure {
  readonly p75: number
  readonly count: number
}

export interface RouteSummary {
  /** In Next's bracket form, as in span names. */
  readonly route: string
  readonly services: readonly string[]
  readonly times: Readonly<Partial<Record<RouteKind, RouteTimes>>>
  readonly vitals: Readonly<Partial<Record<Vital, VitalFigure>>>
}

export interface RouteList {
  /** Busiest first. */
  readonly routes: readonly RouteSummary[]
  /** All routes; more than `routes` has where the list was cut. */
  readonly total: number
}

export interface RouteScope {
  readonly from: Nanoseconds
  readonly until: Nanoseconds
  readonly service?: string | undefined
  /** Excludes these services. */
  readonly hidden?: readonly string[] | undefined
}

/** Times of one kind of a route at each step of the window; `null` where nothing happened. */
export interface RouteTrend {
  readonly count: readonly number[]
  readonly failed: readonly number[]
  readonly p50: readonly (number | null)[]
  readonly p75: readonly (number | null)[]
  readonly p95: readonly (number | null)[]
}

/** A trace of the route, and the route's duration in it in milliseconds. */
export interface RouteTrace {
  readonly traceId: TraceId
  readonly startTime: Nanoseconds
  readonly value: number
  readonly failed: boolean
}

/** Descendant spans of one name. Times in milliseconds. */
export interface RouteChild {
  readonly name: string
  readonly service: string
  readonly count: number
  /** Traces with such a span, of `childrenOf`. */
  readonly traces: number
  readonly p50: number
  readonly total: number
}

/** How often a vital was good, needed improvement and was poor, and its 75th percentile at each step. */
export interface VitalDetail extends VitalFigure {
  readonly good: number
  readonly needsImprovement: number
  readonly poor: number
  readonly trend: readonly (number | null)[]
}

export interface RouteDetail extends RouteSummary {
  readonly kind: RouteKind
  readonly vitals: Readonly<Partial<Record<Vital, VitalDetail>>>
  readonly trend: RouteTrend
  /** Edges in milliseconds, one more than there are counts. */
  readonly distribution: { readonly edges: readonly number[]; readonly counts: readonly number[] }
  readonly slowest: readonly RouteTrace[]
  readonly children: readonly RouteChild[]
  /** Latest traces that the children were counted in. */
  readonly childrenOf: number
}

/** The store's queries about routes. Methods reject with `StoreUnavailable` while the store is unavailable. */
export interface RouteReader {
  listRoutes(scope: RouteScope): Promise<RouteList>
  /** `undefined` when the route has no measurement in the window. Default kind: page loads, else navigations, else requests. */
  readRoute(route: string, scope: RouteScope, steps: Steps, kind?: RouteKind): Promise<RouteDetail | undefined>
}
