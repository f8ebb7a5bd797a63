import {
  type RouteKind,
  type RouteList,
  type RouteScope,
  type RouteSummary,
  type RouteTimes,
  VITALS,
} from "../../../queries/routes/route-reader.ts"
import { type ReadContext, readLimits } from "../context.ts"
import { perPageSql, PRECEDENCE, ROUTE_OF_PAGE } from "./page-vitals.ts"
import { HAS_FAILED, IN_SCOPE, scopeParameters, SPAN, TABLES } from "./route-sql.ts"

/** Routes of a list at most: the busiest. */
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

/** Counts and percentiles of {@link VITALS}, in the same order. */
interface VitalsRow {
  readonly route: string
  readonly counts: readonly number[]
  readonly p75s: readonly number[]
}

export async function listRoutes(context: ReadContext, scope: RouteScope): Promise<RouteList> {
  const parameters = scopeParameters(scope, context.oldest)
  const [times, vitals] = await Promise.all([
    context.clickhouse.select<TimesRow>(`${timesSql("")} ${LIMITS}`, parameters),
    context.clickhouse.select<VitalsRow>(`${vitalsSql()} ${LIMITS}`, parameters),
  ])
  const routes = summaries(times, vitals)
  return { routes: routes.slice(0, ROUTE_LIMIT), total: routes.length }
}

/** The summary of one route, without vitals; `undefined` if it has no measurements. */
export async function summarizeRoute(
  context: ReadContext,
  route: string,
  scope: RouteScope,
): Promise<RouteSummary | undefined> {
  const parameters = { ...scopeParameters(scope, context.oldest), route }
  const times = await context.clickhouse.select<TimesRow>(
    `${timesSql("AND Route = {route:String}")} ${LIMITS}`,
    parameters,
  )
  return summaries(times, [])[0]
}

/** A span that arrived twice counts once. Percentiles cover all rows, since rows that repeat hardly move them. */
function timesSql(where: string): string {
  return `SELECT Route AS route, Measure AS measure, arraySort(groupUniqArray(100)(ServiceName)) AS services,
    toUInt32(uniqExact(${SPAN})) AS count, toUInt32(uniqExactIf(${SPAN}, ${HAS_FAILED})) AS failed,
    quantilesExact(0.5, 0.75, 0.95, 0.99)(Value) AS times
  FROM pagespan_routes WHERE Measure IN ('load', 'navigation', 'request') AND ${IN_SCOPE} ${where}
  GROUP BY route, measure ORDER BY count DESC LIMIT 10000`
}

/** Each vital of each page once, under the route of the page. */
function vitalsSql(): string {
  const columns = VITALS.map(
    (vital) =>
      `countIf(Measure = '${vital}') AS ${vital}_count, argMaxIf(Value, ${PRECEDENCE}, Measure = '${vital}') AS ${vital}`,
  )
  return `SELECT route, [${VITALS.map((vital) => `toUInt32(countIf(${vital}_count > 0))`).join(", ")}] AS counts,
    [${VITALS.map((vital) => `quantileExactIf(0.75)(${vital}, ${vital}_count > 0)`).join(", ")}] AS p75s
  FROM (${perPageSql(`${ROUTE_OF_PAGE} AS route, ${columns.join(", ")}`, { ...TABLES, where: IN_SCOPE })}) GROUP BY route`
}

function summaries(times: readonly TimesRow[], vitals: readonly VitalsRow[]): RouteSummary[] {
  const byRoute = new Map<string, { -readonly [Key in keyof RouteSummary]: RouteSummary[Key] }>()
  for (const { route, measure, services, ...row } of times) {
    const known = byRoute.get(route) ?? { route, services: [], times: {}, vitals: {} }
    byRoute.set(route, {
      ...known,
      services: [...new Set([...known.services, ...services])].toSorted(),
      times: { ...known.times, [measure as RouteKind]: toTimes(row) },
    })
  }
  for (const { route, counts, p75s } of vitals) {
    const known = byRoute.get(route)
    const measured = VITALS.map(
      (vital, index) => [vital, { count: counts[index] ?? 0, p75: p75s[index] ?? 0 }] as const,
    )
    if (known !== undefined) known.vitals = Object.fromEntries(measured.filter(([, { count }]) => count > 0))
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
