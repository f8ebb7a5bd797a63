import { ParameterReader } from "./parameter-reader.ts"
import { ROUTE_KINDS, type RouteKind, type RouteScope } from "./route-reader.ts"
import { parseTimeRange, type TimeRange } from "./time-range.ts"

export const ROUTE_SORTS = ["busy", "name", "p50", "p75", "p95", "p99", "errors", "lcp", "inp", "cls"] as const
export type RouteSort = (typeof ROUTE_SORTS)[number]

export interface ParsedRouteQuery {
  readonly scope: RouteScope
  readonly range: TimeRange
  readonly kind: RouteKind | undefined
  /** In a route's name, in either case. */
  readonly search: string | undefined
  readonly sort: RouteSort | undefined
  readonly notices: readonly string[]
}

/** What `/routes`, `/routes/…` and `GET /api/routes` share: `of`, `q`, `service`, `sort`, `since`, `until`. */
export function parseRouteQuery(parameters: URLSearchParams, nowMs: number): ParsedRouteQuery {
  const reader = new ParameterReader(parameters)
  const range = parseTimeRange(reader, nowMs, "24h")
  return {
    scope: { from: range.from, until: range.until, service: reader.text("service") },
    range,
    kind: reader.oneOf("of", ROUTE_KINDS),
    search: reader.text("q"),
    sort: reader.oneOf("sort", ROUTE_SORTS),
    notices: reader.notices,
  }
}
