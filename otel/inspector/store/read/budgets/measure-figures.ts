import type { RouteFigures } from "../../../queries/budgets/budget-reader.ts"
import { LEVELS } from "../../../queries/budgets/distribution.ts"
import type { ActivityScope } from "../../../queries/list/trace-reader.ts"
import { measuredSpansSql } from "../compare/measure-routes.ts"
import { type ReadContext, readLimits, SqlBuilder } from "../context.ts"
import { perPageSql, ROUTE_OF_PAGE, VITALS_OF_PAGE } from "../routes/page-vitals.ts"
import { listScope, spansInScopeSql } from "../traces/list-scope.ts"

const ROWS = 10_000
const LIMITS = readLimits({ seconds: 10, rows: ROWS })

interface Row extends Omit<RouteFigures, "values"> {
  readonly times: readonly (number | null)[]
}

/** Durations and vitals by route, in one statement. */
export async function measureFigures(context: ReadContext, scope: ActivityScope): Promise<readonly RouteFigures[]> {
  const sql = new SqlBuilder(context)
  const rows = await context.clickhouse.select<Row>(
    `SELECT route, measure, toUInt32(count()) AS count, toUInt32(countIf(hasFailed)) AS failed,
      quantilesExact(${LEVELS.join(", ")})(Value) AS times, argMax(TraceId, Value) AS worst
    FROM (
      SELECT TraceId, toString(Route) AS route, toString(Measure) AS measure, Value, hasFailed
      FROM (${measuredSpansSql({ context, scope }, sql)})
      UNION ALL SELECT ofTrace AS TraceId, route, vital.1 AS measure, vital.3 AS Value, false AS hasFailed
      FROM (${vitalsSql(context, scope, sql)}) ARRAY JOIN arrayFilter(each -> each.2 > 0, vitals) AS vital
    ) GROUP BY route, measure ORDER BY count DESC, route, measure LIMIT ${ROWS} ${LIMITS}`,
    sql.parameters,
  )
  return rows.map(({ times, ...row }) => ({ ...row, values: times.map((time) => time ?? 0) }))
}

/** Each vital of each page once, under the route of the page. */
function vitalsSql(context: ReadContext, query: ActivityScope, sql: SqlBuilder): string {
  return perPageSql(`any(TraceId) AS ofTrace, toString(${ROUTE_OF_PAGE}) AS route, ${VITALS_OF_PAGE} AS vitals`, {
    routes: sql.from("pagespan_routes"),
    traces: sql.from("otel_traces"),
    where: spansInScopeSql(query, listScope(query, context.oldest), sql),
  })
}
