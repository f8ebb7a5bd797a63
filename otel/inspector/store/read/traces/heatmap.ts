import { DURATION_EDGES, type HeatmapCell, type TraceHeatmap } from "../../../queries/list/heatmap.ts"
import type { TimeSteps } from "../../../queries/list/trace-overview.ts"
import type { TraceScope } from "../../../queries/list/trace-reader.ts"
import { stepSql } from "../bars.ts"
import { type ReadContext, readLimits, SqlBuilder } from "../context.ts"
import { TRACE_DURATION } from "../filter/trace-sql.ts"
import { candidatesSql, listScope, matchingSql } from "./list-scope.ts"

/** More than the cells of 90 steps and all rows. */
const LIMITS = readLimits({ seconds: 10, rows: 10_000 })
/** Constants of the sources, so they need no placeholders. */
const ROW = `toUInt32(arrayCount(edge -> edge <= length, [${DURATION_EDGES.join(", ")}]::Array(UInt64)))`

/** Counts the traces of a scope by the step in which they began and by the range of their duration, in one pass. */
export async function readHeatmap(context: ReadContext, query: TraceScope, steps: TimeSteps): Promise<TraceHeatmap> {
  const sql = new SqlBuilder(context)
  const scope = listScope(query, context.oldest)
  const cells = await context.clickhouse.select<HeatmapCell>(
    `SELECT ${stepSql("began", steps, sql)} AS step, ${ROW} AS row, toUInt32(count()) AS traces,
      toUInt32(countIf(hasFailed)) AS failed
    FROM (
      SELECT min(Timestamp) AS began, ${TRACE_DURATION} AS length, max(IsError) AS hasFailed
      FROM ${sql.from("pagespan_spans")} WHERE ${candidatesSql(scope, sql)} GROUP BY TraceId HAVING ${matchingSql(scope, sql)}
    ) GROUP BY step, row ORDER BY step, row ${LIMITS}`,
    sql.parameters,
  )
  return { steps, cells }
}
