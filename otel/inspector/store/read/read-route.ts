import type { TraceId } from "../../../protocol/records/ids.ts"
import type { Nanoseconds } from "../../../protocol/records/time.ts"
import type { Steps } from "../../queries/list/time-range.ts"
import {
  ROUTE_KINDS,
  type RouteChild,
  type RouteDetail,
  type RouteKind,
  type RouteScope,
  type RouteTrace,
  type RouteTrend,
} from "../../queries/routes/route-reader.ts"
import type { ClickHouse, Parameters } from "../clickhouse.ts"
import { fromNanosText } from "../rows/timestamp.ts"
import { readLimits } from "./limits.ts"
import { summariseRoute } from "./list-routes.ts"
import { readRouteVitals } from "./read-route-vitals.ts"
import { HAS_FAILED, IN_SCOPE, scopeParameters, SPAN, stepOf } from "./route-rows.ts"

/** The latest traces of a route that its children are counted in. */
const CHILD_TRACES = 200
/** Rows that these traces are taken from: a trace may have had the route several times. */
const CHILD_ROWS = 1_000
const CHILDREN = 20
const SLOWEST = 10
const LIMITS = readLimits({ seconds: 10, rows: 20_000 })

/** Edges of a distribution in milliseconds, six a decade: from 0.1 ms to some quarter of an hour. */
const EDGES = [
  0,
  ...[0.1, 1, 10, 100, 1_000, 10_000, 100_000].flatMap((decade) =>
    [1, 1.5, 2, 3, 5, 7].map((step) => round(step * decade)),
  ),
]

const OF_KIND = `Measure = {kind:String} AND Route = {route:String} AND ${IN_SCOPE}`

export async function readRoute(
  clickhouse: ClickHouse,
  route: string,
  scope: RouteScope,
  options: { readonly steps: Steps; readonly kind: RouteKind | undefined; readonly oldest: Nanoseconds },
): Promise<RouteDetail | undefined> {
  const { steps, oldest } = options
  const parameters = {
    ...scopeParameters(scope, oldest),
    route,
    stepsFrom: String(steps.fromMs),
    step: String(steps.stepMs),
  }
  const [summary, vitals] = await Promise.all([
    summariseRoute(clickhouse, route, scope, oldest),
    readRouteVitals(clickhouse, parameters, steps),
  ])
  if (summary === undefined) return undefined
  const kind = options.kind ?? ROUTE_KINDS.find((one) => summary.times[one] !== undefined) ?? "load"
  const ofKind = { ...parameters, kind }
  const [course, slowest, { children, childrenOf }] = await Promise.all([
    readCourse(clickhouse, ofKind, steps),
    readSlowest(clickhouse, ofKind),
    readChildren(clickhouse, ofKind),
  ])
  return { ...summary, ...course, vitals, kind, slowest, children, childrenOf }
}

interface CourseRow {
  /** Whether it is of a step, and not of a range of the distribution. */
  readonly isStep: boolean
  readonly step: number
  readonly edge: number
  readonly count: number
  readonly failed: number
  readonly times: readonly number[]
}

/** How the route went step by step, and how what it took is spread: each row is read once for both. */
async function readCourse(
  clickhouse: ClickHouse,
  parameters: Parameters,
  steps: Steps,
): Promise<Pick<RouteDetail, "trend" | "distribution">> {
  const rows = await clickhouse.select<CourseRow>(
    `SELECT grouping(edge) = 1 AS isStep, step, edge, toUInt32(uniqExact(span)) AS count,
      toUInt32(uniqExactIf(span, hasFailed)) AS failed, quantilesExact(0.5, 0.75, 0.95)(Value) AS times
    FROM (
      SELECT ${stepOf("Timestamp")} AS step, roundDown(Value, [${EDGES.map((edge) => edge.toFixed(1)).join(", ")}]) AS edge,
        ${SPAN} AS span, ${HAS_FAILED} AS hasFailed, Value
      FROM pagespan_routes WHERE ${OF_KIND}
    ) GROUP BY GROUPING SETS ((step), (edge)) ${LIMITS}`,
    parameters,
  )
  return {
    trend: trendOf(
      rows.filter(({ isStep }) => isStep),
      steps,
    ),
    distribution: distributionOf(rows.filter(({ isStep }) => !isStep)),
  }
}

function trendOf(rows: readonly CourseRow[], steps: Steps): RouteTrend {
  const at = new Map(rows.map((row) => [row.step, row]))
  const each = <T>(of: (row: CourseRow | undefined) => T) =>
    Array.from({ length: steps.count }, (_, index) => of(at.get(index)))
  return {
    count: each((row) => row?.count ?? 0),
    failed: each((row) => row?.failed ?? 0),
    p50: each((row) => row?.times[0] ?? null),
    p75: each((row) => row?.times[1] ?? null),
    p95: each((row) => row?.times[2] ?? null),
  }
}

/** From the first range that something fell into to the last. */
function distributionOf(rows: readonly CourseRow[]): RouteDetail["distribution"] {
  const counts = EDGES.map((edge) => rows.find((row) => round(row.edge) === edge)?.count ?? 0)
  const first = Math.max(
    0,
    counts.findIndex((count) => count > 0),
  )
  const last = counts.findLastIndex((count) => count > 0)
  const edges = EDGES.slice(first, last + 2)
  if (edges.length === last - first + 1) edges.push((EDGES.at(-1) ?? 0) * 10)
  return { edges, counts: counts.slice(first, last + 1) }
}

async function readSlowest(clickhouse: ClickHouse, parameters: Parameters): Promise<RouteTrace[]> {
  const rows = await clickhouse.select<{ traceId: string; start: string; value: number; failed: boolean }>(
    `SELECT TraceId AS traceId, toString(toUnixTimestamp64Nano(Timestamp)) AS start, Value AS value, ${HAS_FAILED} AS failed
    FROM (
      SELECT TraceId, Timestamp, Value, IsError FROM pagespan_routes WHERE ${OF_KIND}
      ORDER BY Value DESC LIMIT 1 BY TraceId LIMIT ${SLOWEST}
    ) ORDER BY value DESC ${LIMITS}`,
    parameters,
  )
  return rows.map(({ traceId, start, value, failed }) => ({
    traceId: traceId as TraceId,
    startTime: fromNanosText(start),
    value,
    failed: Boolean(failed),
  }))
}

/** Most frequent first. The route's own spans are left out, and web vitals, which are marks and no work. */
async function readChildren(
  clickhouse: ClickHouse,
  parameters: Parameters,
): Promise<{ children: RouteChild[]; childrenOf: number }> {
  const latest = await clickhouse.select<{ traceId: string; spanIds: string[] }>(
    `SELECT TraceId AS traceId, groupUniqArray(100)(SpanId) AS spanIds FROM (
      SELECT Timestamp, TraceId, SpanId FROM pagespan_routes WHERE ${OF_KIND} ORDER BY Timestamp DESC LIMIT ${CHILD_ROWS}
    ) GROUP BY TraceId ORDER BY max(Timestamp) DESC LIMIT ${CHILD_TRACES} ${LIMITS}`,
    parameters,
  )
  const children = await clickhouse.select<RouteChild>(
    `SELECT name, service, toUInt32(uniqExact(SpanId)) AS count,
      toUInt32(uniqExact(TraceId)) AS traces, quantileExact(0.5)(length) / 1000000 AS p50,
      sum(length) / 1000000 AS total
    FROM (
      SELECT TraceId, SpanId, any(SpanName) AS name, any(ServiceName) AS service, max(Duration) AS length
      FROM pagespan_spans WHERE TraceId IN {traces:Array(String)} AND SpanId NOT IN {roots:Array(String)}
        AND NOT startsWith(SpanName, 'browser.web_vital.')
      GROUP BY TraceId, SpanId
    ) GROUP BY name, service ORDER BY count DESC, name LIMIT ${CHILDREN} ${LIMITS}`,
    { traces: latest.map(({ traceId }) => traceId), roots: latest.flatMap(({ spanIds }) => spanIds) },
  )
  return { children, childrenOf: latest.length }
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000
}
