import type { RouteFigures } from "../../../queries/budgets/budget-reader.ts"
import { LEVELS } from "../../../queries/budgets/distribution.ts"
import type { ActivityScope } from "../../../queries/list/trace-reader.ts"
import { VITALS } from "../../../queries/routes/route-reader.ts"
import { measuredSpansSql } from "../compare/measure-routes.ts"
import { type ReadContext, readLimits, SqlBuilder } from "../context.ts"
import { OF_PAGES, OF_VITALS, PRECEDENCE, TRACE } from "../routes/route-sql.ts"
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
  const vitals = VITALS.map(
    (vital) => `('${vital}', countIf(Measure = '${vital}'), argMaxIf(Value, ${PRECEDENCE}, Measure = '${vital}'))`,
  )
  return `SELECT any(TraceId) AS ofTrace, toString(anyIf(Route, ${OF_PAGES})) AS route, [${vitals.join(", ")}] AS vitals
    FROM ${sql.from("pagespan_routes")}
    WHERE (${OF_PAGES} OR ${OF_VITALS}) AND ${spansInScopeSql(query, listScope(query, context.oldest), sql)}
    GROUP BY ${TRACE} HAVING countIf(${OF_PAGES}) > 0`
}
