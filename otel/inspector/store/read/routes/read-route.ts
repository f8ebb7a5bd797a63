import type { TraceId } from "../../../../protocol/records/ids.ts"
import type { Steps } from "../../../queries/list/time-range.ts"
import {
  ROUTE_KINDS,
  type RouteDetail,
  type RouteKind,
  type RouteScope,
  type RouteTrace,
  type RouteTrend,
  type Vital,
  type VitalDetail,
} from "../../../queries/routes/route-reader.ts"
import { VITAL_MEANINGS } from "../../../queries/trace/trace-marks.ts"
import type { Parameters } from "../../clickhouse.ts"
import { fromNanosText } from "../../rows/stored-values.ts"
import { type ReadContext, readLimits } from "../context.ts"
import { readChildren } from "./child-spans.ts"
import { summarizeRoute } from "./list-routes.ts"
import { perPageSql, ROUTE_OF_PAGE, VITALS_OF_PAGE } from "./page-vitals.ts"
import { HAS_FAILED, IN_SCOPE, OF_KIND, OF_PAGES, scopeParameters, SPAN, stepOf, TABLES, TRACE } from "./route-sql.ts"

const SLOWEST = 10
const LIMITS = readLimits({ seconds: 10, rows: 20_000 })

/** Lower edges of the distribution in milliseconds, six per decade: from 0.1 ms to about twelve minutes. */
const EDGES = [
  0,
  ...[0.1, 1, 10, 100, 1_000, 10_000, 100_000].flatMap((decade) =>
    [1, 1.5, 2, 3, 5, 7].map((step) => round(step * decade)),
  ),
]

export async function readRoute(
  context: ReadContext,
  route: string,
  scope: RouteScope,
  options: { readonly steps: Steps; readonly kind: RouteKind | undefined },
): Promise<RouteDetail | undefined> {
  const { steps } = options
  const parameters = {
    ...scopeParameters(scope, context.oldest),
    route,
    stepsFrom: String(steps.fromMs),
    step: String(steps.stepMs),
  }
  const [summary, vitals] = await Promise.all([
    summarizeRoute(context, route, scope),
    readRouteVitals(context, parameters, steps),
  ])
  if (summary === undefined) return undefined
  const kind = options.kind ?? ROUTE_KINDS.find((one) => summary.times[one] !== undefined) ?? "load"
  const ofKind = { ...parameters, kind }
  const [timeline, slowest, { children, childrenOf }] = await Promise.all([
    readTimeline(context, ofKind, steps),
    readSlowest(context, ofKind),
    readChildren(context, ofKind),
  ])
  return { ...summary, ...timeline, vitals, kind, slowest, children, childrenOf }
}

interface TimelineRow {
  /** Whether the row is of a step, or else of a range of the distribution. */
  readonly isStep: boolean
  readonly step: number
  readonly edge: number
  readonly count: number
  readonly failed: number
  readonly times: readonly number[]
}

/** The trend over the steps and the distribution of durations, in one pass over the rows. */
async function readTimeline(
  context: ReadContext,
  parameters: Parameters,
  steps: Steps,
): Promise<Pick<RouteDetail, "trend" | "distribution">> {
  const rows = await context.clickhouse.select<TimelineRow>(
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

function trendOf(rows: readonly TimelineRow[], steps: Steps): RouteTrend {
  const at = new Map(rows.map((row) => [row.step, row]))
  const each = <T>(of: (row: TimelineRow | undefined) => T) =>
    Array.from({ length: steps.count }, (_, index) => of(at.get(index)))
  return {
    count: each((row) => row?.count ?? 0),
    failed: each((row) => row?.failed ?? 0),
    p50: each((row) => row?.times[0] ?? null),
    p75: each((row) => row?.times[1] ?? null),
    p95: each((row) => row?.times[2] ?? null),
  }
}

/** From the first range with a count to the last. */
function distributionOf(rows: readonly TimelineRow[]): RouteDetail["distribution"] {
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

async function readSlowest(context: ReadContext, parameters: Parameters): Promise<RouteTrace[]> {
  const rows = await context.clickhouse.select<{ traceId: string; start: string; value: number; failed: boolean }>(
    `SELECT TraceId AS traceId, toString(toUnixTimestamp64Nano(Timestamp)) AS start, Value AS value, ${HAS_FAILED} AS failed
    FROM (
      SELECT TraceId, SpanId, Timestamp, Measure, ServiceName, Value, IsError FROM pagespan_routes WHERE ${OF_KIND}
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

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000
}

const OF_MEASURE = (edge: "good" | "poor") =>
  `transform(measure, [${Object.keys(VITAL_MEANINGS)
    .map((name) => `'${name}'`)
    .join(", ")}], [${Object.values(VITAL_MEANINGS)
    .map((meaning) => meaning[edge].toFixed(3))
    .join(", ")}], 0.)`

interface VitalRow {
  readonly measure: Vital
  readonly step: number
  /** Whether the row is of the whole window, or else of a step. */
  readonly isTotal: boolean
  readonly p75: number
  readonly count: number
  readonly good: number
  readonly poor: number
}

/** Each vital of the route's pages, rated by Google's thresholds, over the whole window and for each step. */
export async function readRouteVitals(
  context: ReadContext,
  parameters: Parameters,
  steps: Steps,
): Promise<Partial<Record<Vital, VitalDetail>>> {
  const rows = await context.clickhouse.select<VitalRow>(
    `SELECT measure, step, grouping(step) = 1 AS isTotal, quantileExact(0.75)(value) AS p75, toUInt32(count()) AS count,
      toUInt32(countIf(value <= ${OF_MEASURE("good")})) AS good, toUInt32(countIf(value > ${OF_MEASURE("poor")})) AS poor
    FROM (
      SELECT measure, value, ${stepOf("time")} AS step
      FROM (${LATEST_VITALS})
    ) GROUP BY GROUPING SETS ((measure), (measure, step)) ${LIMITS}`,
    parameters,
  )
  const details = rows
    .filter(({ isTotal }) => isTotal)
    .map(({ measure, p75, count, good, poor }): [Vital, VitalDetail] => {
      const trend = Array.from<number | null>({ length: steps.count }).fill(null)
      for (const row of rows)
        if (!row.isTotal && row.measure === measure && row.step in trend) trend[row.step] = row.p75
      return [measure, { p75, count, good, poor, needsImprovement: count - good - poor, trend }]
    })
  return Object.fromEntries(details)
}

/** Each vital of each page of the route, once. */
const LATEST_VITALS = `SELECT vital.1 AS measure, vital.3 AS value, vital.4 AS time
  FROM (${perPageSql(`${ROUTE_OF_PAGE} AS route, ${VITALS_OF_PAGE} AS vitals`, {
    ...TABLES,
    where: `${IN_SCOPE} AND ${TRACE} IN (
      SELECT ${TRACE} FROM pagespan_routes WHERE ${OF_PAGES} AND Route = {route:String} AND ${IN_SCOPE}
    )`,
  })}) ARRAY JOIN arrayFilter(each -> each.2 > 0, vitals) AS vital WHERE route = {route:String}`
