import type { RouteKind, RouteList, RouteScope, RouteSummary, RouteTimes, Vital } from "../../query/route-reader.ts"
import type { Nanoseconds } from "../../model/time.ts"
import type { ClickHouse, Parameters } from "../clickhouse.ts"
import { storableTime } from "../rows/timestamp.ts"
import { readLimits } from "./limits.ts"

/** Routes in a list at most, the busiest. */
const ROUTE_LIMIT = 1_000
const LIMITS = readLimits({ seconds: 10, rows: 20_000 })

interface TimesRow {
  readonly route: string
  readonly measure: string
  readonly services: readonly string[]
  readonly count: number
  readonly failed: number
  readonly times: readonly [number, number, number, number]
}

interface VitalRow {
  readonly route: string
  readonly measure: string
  readonly count: number
  readonly p75: number
}

export async function listRoutes(clickhouse: ClickHouse, scope: RouteScope, oldest: Nanoseconds): Promise<RouteList> {
  const parameters = scopeParameters(scope, oldest)
  const [times, vitals] = await Promise.all([
    clickhouse.select<TimesRow>(`${timesSql("")} ${LIMITS}`, parameters),
    clickhouse.select<VitalRow>(
      `SELECT route, measure, toUInt32(count()) AS count, quantileExact(0.75)(value) AS p75
      FROM (${vitalsSql("")}) GROUP BY route, measure ${LIMITS}`,
      parameters,
    ),
  ])
  const routes = summaries(times, vitals)
  return { routes: routes.slice(0, ROUTE_LIMIT), total: routes.length }
}

/** The same for one route; `undefined` where nothing was timed. */
export async function summariseRoute(
  clickhouse: ClickHouse,
  route: string,
  scope: RouteScope,
  oldest: Nanoseconds,
): Promise<RouteSummary | undefined> {
  const parameters = { ...scopeParameters(scope, oldest), route }
  const times = await clickhouse.select<TimesRow>(`${timesSql("AND Route = {route:String}")} ${LIMITS}`, parameters)
  return summaries(times, [])[0]
}

export function scopeParameters({ from, until, service, hidden = [] }: RouteScope, oldest: Nanoseconds): Parameters {
  const since = storableTime(from)
  return {
    from: String(since > oldest ? since : oldest),
    until: String(storableTime(until)),
    service: service ?? "",
    hidden,
  }
}

/** Within the window and of the service, where one is asked for. */
export const IN_SCOPE = `Timestamp >= fromUnixTimestamp64Nano({from:Int64}) AND Timestamp < fromUnixTimestamp64Nano({until:Int64})
  AND ({service:String} = '' OR ServiceName = {service:String}) AND ServiceName NOT IN {hidden:Array(String)}`

/** Whether it failed itself, or an error was told of its trace. An error can be told a little before its root began to count. */
export const HAS_FAILED = `(IsError OR TraceId IN (SELECT TraceId FROM pagespan_errors
  WHERE TraceId != '' AND Time >= fromUnixTimestamp64Nano({from:Int64})))`

/** A span that came twice counts once. Percentiles are of all rows: what came twice stands in them twice, which moves none. */
function timesSql(where: string): string {
  return `SELECT Route AS route, Measure AS measure, arraySort(groupUniqArray(100)(ServiceName)) AS services,
    toUInt32(uniqExact(SpanId)) AS count, toUInt32(uniqExactIf(SpanId, ${HAS_FAILED})) AS failed,
    quantilesExact(0.5, 0.75, 0.95, 0.99)(Value) AS times
  FROM pagespan_routes WHERE Measure IN ('load', 'navigation', 'request') AND ${IN_SCOPE} ${where}
  GROUP BY route, measure ORDER BY count DESC LIMIT 10000`
}

/** Each vital of each page once, as it stood last, with the route of the page's trace. */
export function vitalsSql(where: string): string {
  return `SELECT r.route AS route, v.measure AS measure, v.value AS value, v.time AS time
  FROM (
    SELECT TraceId, Measure AS measure, argMax(Value, (IsFinal, Timestamp)) AS value, max(Timestamp) AS time
    FROM pagespan_routes WHERE Measure IN ('lcp', 'inp', 'cls', 'fcp', 'ttfb') AND ${IN_SCOPE} GROUP BY TraceId, measure
  ) AS v INNER JOIN (
    SELECT TraceId, any(Route) AS route FROM pagespan_routes
    WHERE Measure IN ('load', 'navigation') AND ${IN_SCOPE} ${where} GROUP BY TraceId
  ) AS r ON v.TraceId = r.TraceId`
}

function summaries(times: readonly TimesRow[], vitals: readonly VitalRow[]): RouteSummary[] {
  const byRoute = new Map<string, { -readonly [Key in keyof RouteSummary]: RouteSummary[Key] }>()
  for (const { route, measure, services, ...row } of times) {
    const known = byRoute.get(route) ?? { route, services: [], times: {}, vitals: {} }
    byRoute.set(route, {
      ...known,
      services: [...new Set([...known.services, ...services])].toSorted(),
      times: { ...known.times, [measure as RouteKind]: toTimes(row) },
    })
  }
  for (const { route, measure, count, p75 } of vitals) {
    const known = byRoute.get(route)
    if (known !== undefined) known.vitals = { ...known.vitals, [measure as Vital]: { count, p75 } }
  }
  return [...byRoute.values()].toSorted((a, b) => busyness(b) - busyness(a) || (a.route < b.route ? -1 : 1))
}

function toTimes({
  count,
  failed,
  times: [p50, p75, p95, p99],
}: Omit<TimesRow, "route" | "measure" | "services">): RouteTimes {
  return { count, failed, p50, p75, p95, p99 }
}

function busyness({ times }: RouteSummary): number {
  return Object.values(times).reduce((sum, { count }) => sum + count, 0)
}
