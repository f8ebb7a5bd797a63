import type { MeasuredRoutes } from "../../../queries/compare/compare-reader.ts"
import { LEVELS, type Measured } from "../../../queries/compare/comparison.ts"
import type { ActivityScope } from "../../../queries/list/trace-reader.ts"
import type { RouteKind } from "../../../queries/routes/route-reader.ts"
import { type ReadContext, readLimits, SqlBuilder } from "../context.ts"
import { ERROR_SLACK_NS, hasFailedSql } from "../routes/route-sql.ts"
import { listScope, spansInScopeSql } from "../traces/list-scope.ts"

const ROUTES = 2_000
const LIMITS = readLimits({ seconds: 10, rows: ROUTES })

/** A side of a comparison: its tables, and what its traces must match. */
export interface Side {
  readonly context: ReadContext
  readonly scope: ActivityScope
}

interface Row {
  readonly route: string
  readonly kind: RouteKind
  readonly total: number
  readonly a: SideRow
  readonly b: SideRow
}

type SideRow = readonly [count: number, failed: number, times: readonly (number | null)[], total: number]

/** Both sides in one statement, so that a row that the limit cuts is missing on both. */
export async function measureRoutes(a: Side, b: Side): Promise<MeasuredRoutes> {
  const sql = { a: new SqlBuilder(a.context, "a"), b: new SqlBuilder(b.context, "b") }
  const rows = await a.context.clickhouse.select<Row>(
    `SELECT route, kind, toUInt32(count() OVER ()) AS total, a, b FROM (
      SELECT toString(Route) AS route, toString(Measure) AS kind, sum(Value) AS time,
        ${measuredSql("NOT isB")} AS a, ${measuredSql("isB")} AS b
      FROM (
        SELECT false AS isB, Route, Measure, Value, hasFailed FROM (${measuredSpansSql(a, sql.a)})
        UNION ALL SELECT true AS isB, Route, Measure, Value, hasFailed FROM (${measuredSpansSql(b, sql.b)})
      ) GROUP BY route, kind
    ) ORDER BY time DESC, route, kind LIMIT ${ROUTES} ${LIMITS}`,
    { ...sql.a.parameters, ...sql.b.parameters },
  )
  return {
    routes: rows.map(({ route, kind, ...row }) => ({ route, kind, a: measuredOf(row.a), b: measuredOf(row.b) })),
    total: rows[0]?.total ?? 0,
  }
}

function measuredSql(side: string): string {
  return `(toUInt32(countIf(${side})), toUInt32(countIf(${side} AND hasFailed)),
    quantilesExactIf(${LEVELS.join(", ")})(Value, ${side}), sumIf(Value, ${side}))`
}

function measuredOf([count, failed, times, total]: SideRow): Measured {
  return { count, failed, times: times.map((time) => time ?? 0), total }
}

/** Selects the page loads, navigations and requests of a side. A span that arrived twice counts once. */
export function measuredSpansSql({ context, scope: query }: Side, sql: SqlBuilder): string {
  const scope = listScope(query, context.oldest)
  const before = scope.since > ERROR_SLACK_NS ? scope.since - ERROR_SLACK_NS : 0n
  const routes = sql.from("pagespan_routes")
  const hasFailed = hasFailedSql({ errors: sql.from("pagespan_errors"), routes, since: sql.bindTime(before) })
  return `SELECT TraceId, Route, Measure, Value, ${hasFailed} AS hasFailed
    FROM ${routes}
    WHERE Measure IN ('load', 'navigation', 'request') AND ${spansInScopeSql(query, scope, sql)}
    LIMIT 1 BY Measure, TraceId, SpanId`
}
