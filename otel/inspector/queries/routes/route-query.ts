import type { Difference } from "../compare/comparison.ts"
import { ParameterReader } from "../list/parameter-reader.ts"
import { parseTimeRange, type TimeRange } from "../list/time-range.ts"
import { ROUTE_KINDS, type RouteKind, type RouteList, type RouteScope, type RouteSummary } from "./route-reader.ts"

/** The time range without a choice. */
export const ROUTE_WINDOW = "24h"

const ROUTE_SORTS = ["busy", "name", "p50", "p75", "p95", "p99", "errors", "change", "lcp", "inp", "cls"] as const
export type RouteSort = (typeof ROUTE_SORTS)[number]

export interface ParsedRouteQuery {
  readonly scope: RouteScope
  readonly range: TimeRange
  readonly kind: RouteKind | undefined
  /** Text in a route's name, case-insensitive. */
  readonly search: string | undefined
  readonly sort: RouteSort | undefined
  readonly notices: readonly string[]
}

/** Query parameters of `/routes`, `/routes/…` and `GET /api/routes`: `of`, `q`, `service`, `sort`, `since`, `until`. */
export function parseRouteQuery(parameters: URLSearchParams, nowMs: number): ParsedRouteQuery {
  const reader = new ParameterReader(parameters)
  const range = parseTimeRange(reader, nowMs, ROUTE_WINDOW)
  return {
    scope: { from: range.from, until: range.until, service: reader.text("service") },
    range,
    kind: reader.oneOf("of", ROUTE_KINDS),
    search: reader.text("q"),
    sort: reader.oneOf("sort", ROUTE_SORTS),
    notices: reader.notices,
  }
}

/** The kind of times that a list shows by default: page loads where there are any, else navigations, else requests. */
export function defaultKind({ routes }: RouteList): RouteKind {
  const has = (kind: RouteKind) => routes.some(({ times }) => times[kind] !== undefined)
  return has("load") ? "load" : has("navigation") ? "navigation" : "request"
}

/** Routes that have the kind of times, worst first, or by name. Those without the figure come last. */
export function sortRoutes(all: readonly RouteSummary[], sort: RouteSort, kind: RouteKind): RouteSummary[] {
  const routes = all.filter(({ times }) => times[kind] !== undefined)
  if (sort === "name") return routes.toSorted((a, b) => (a.route < b.route ? -1 : 1))
  return routes.toSorted((a, b) => figure(b, sort, kind) - figure(a, sort, kind) || (a.route < b.route ? -1 : 1))
}

function figure({ times, vitals }: RouteSummary, sort: Exclude<RouteSort, "name">, kind: RouteKind): number {
  const ofKind = times[kind]
  if (sort === "lcp" || sort === "inp" || sort === "cls") return vitals[sort]?.p75 ?? -1
  if (sort === "busy") return ofKind?.count ?? 0
  if (sort === "change") return changeRank(ofKind?.p50Change)
  if (ofKind === undefined) return -1
  return sort === "errors" ? ofKind.failed / ofKind.count : ofKind[sort]
}

/** What is slower beyond chance first, what is faster beyond chance last, and between them what is neither. */
function changeRank(change: Difference | undefined): number {
  if (change === undefined) return -1e12
  const { value, verdict } = change
  return verdict === "higher" ? 1e9 + value : verdict === "lower" ? value - 1e9 : verdict === "too_few" ? -1e6 : value
}

/** Routes with the text in their name, case-insensitive; all of them without a text. */
export function searchRoutes(routes: readonly RouteSummary[], search: string | undefined): readonly RouteSummary[] {
  if (search === undefined) return routes
  const wanted = search.toLowerCase()
  return routes.filter(({ route }) => route.toLowerCase().includes(wanted))
}
