import type { TraceId } from "../../../protocol/records/ids.ts"
import type { Nanoseconds } from "../../../protocol/records/time.ts"
import type { Steps } from "../list/time-range.ts"

/** What is timed of a route: a document's load, a navigation within the page, a request that a server answered. */
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

/** One kind of a route in a window of time. */
export interface RouteTimes extends Percentiles {
  readonly count: number
  /** Of those, the ones that failed, or in whose trace an error was told. */
  readonly failed: number
}

/** Milliseconds; of `cls` a score. At the 75th percentile, as Google rates a site. */
export interface VitalFigure {
  readonly p75: number
  readonly count: number
}

export interface RouteSummary {
  /** In Next's bracket form, as its spans name it. */
  readonly route: string
  readonly services: readonly string[]
  readonly times: Readonly<Partial<Record<RouteKind, RouteTimes>>>
  readonly vitals: Readonly<Partial<Record<Vital, VitalFigure>>>
}

export interface RouteList {
  /** The busiest first. */
  readonly routes: readonly RouteSummary[]
  /** How many routes there are; more than `routes` where the list was cut. */
  readonly total: number
}

export interface RouteScope {
  readonly from: Nanoseconds
  readonly until: Nanoseconds
  readonly service?: string | undefined
  /** Not of these services. */
  readonly hidden?: readonly string[] | undefined
}

/** How one kind of a route went over the window's steps. An entry for each step; `null` where nothing happened. */
export interface RouteTrend {
  readonly count: readonly number[]
  readonly failed: readonly number[]
  readonly p50: readonly (number | null)[]
  readonly p75: readonly (number | null)[]
  readonly p95: readonly (number | null)[]
}

/** A trace of the route, and how long the route took in it. Milliseconds. */
export interface RouteTrace {
  readonly traceId: TraceId
  readonly startTime: Nanoseconds
  readonly value: number
  readonly failed: boolean
}

/** Spans of one name below the route. Milliseconds. */
export interface RouteChild {
  readonly name: string
  readonly service: string
  readonly count: number
  /** In how many of the traces looked at. */
  readonly traces: number
  readonly p50: number
  readonly total: number
}

/** How often one vital was good, middling and poor, and where it stood at each step. */
export interface VitalDetail extends VitalFigure {
  readonly good: number
  readonly middling: number
  readonly poor: number
  readonly trend: readonly (number | null)[]
}

export interface RouteDetail extends RouteSummary {
  readonly kind: RouteKind
  readonly vitals: Readonly<Partial<Record<Vital, VitalDetail>>>
  readonly trend: RouteTrend
  /** Edges in milliseconds, one more than counts. */
  readonly distribution: { readonly edges: readonly number[]; readonly counts: readonly number[] }
  readonly slowest: readonly RouteTrace[]
  readonly children: readonly RouteChild[]
  /** Traces that the children were counted in: the latest ones. */
  readonly childrenOf: number
}

/** What screens and the read API ask of the store about routes. Rejects with `StoreUnavailable` while it is away. */
export interface RouteReader {
  listRoutes(scope: RouteScope): Promise<RouteList>
  /** `undefined` when nothing was measured of the route in the window. Without a kind: loads, else navigations, else requests. */
  readRoute(route: string, scope: RouteScope, steps: Steps, kind?: RouteKind): Promise<RouteDetail | undefined>
}
