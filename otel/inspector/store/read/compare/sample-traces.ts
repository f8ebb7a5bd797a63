import type { SampledTrace, TraceSample } from "../../../queries/compare/compare-reader.ts"
import type { ActivityScope } from "../../../queries/list/trace-reader.ts"
import { VITAL_SPAN_PREFIX } from "../../../queries/trace/trace-outline.ts"
import { SERVICE_OF_ROW } from "../../schema/span-tables.ts"
import { type ReadContext, readLimits, SqlBuilder } from "../context.ts"
import { candidatesSql, listScope, matchingSql } from "../traces/list-scope.ts"

const COUNT_LIMITS = readLimits({ seconds: 10, rows: 1 })

/** One trace, its columns as texts: rows of JSON would take the app's process longer to parse. */
interface TraceRow {
  readonly ids: string
  readonly parents: string
  readonly services: readonly string[]
  readonly names: readonly string[]
  readonly durations: string
  readonly failed: string
}

/** Traces by the hash of their ids, as many as the limit has room for. Web vitals are marks, and no spans of a path. */
export async function sampleTraces(context: ReadContext, query: ActivityScope, limit: number): Promise<TraceSample> {
  const sampled = new SqlBuilder(context)
  const [traces, rows] = await Promise.all([
    countTraces(context, query),
    context.clickhouse.select<TraceRow>(
      spansSql(context, query, sampled, limit) + readLimits({ seconds: 10, rows: limit }),
      sampled.parameters,
    ),
  ])
  return { traces, sampled: rows.map(traceOf) }
}

/** The number of traces of a scope. */
export async function countTraces(context: ReadContext, query: ActivityScope): Promise<number> {
  const sql = new SqlBuilder(context)
  const [row] = await context.clickhouse.select<{ traces: number }>(
    `SELECT toUInt32(count()) AS traces FROM (${tracesSql(context, query, sql)}) ${COUNT_LIMITS}`,
    sql.parameters,
  )
  return row?.traces ?? 0
}

/** Selects the traces of the scope and how many spans each has, without those of hidden services. */
function tracesSql(context: ReadContext, query: ActivityScope, sql: SqlBuilder): string {
  const scope = listScope(query, context.oldest)
  return `SELECT TraceId, countIf(${shownSql(query, sql)}) AS spans FROM ${sql.from("pagespan_spans")}
    WHERE ${candidatesSql(scope, sql)} GROUP BY TraceId HAVING spans > 0 AND ${matchingSql(scope, sql)}`
}

function shownSql({ withoutServices: services = [] }: ActivityScope, sql: SqlBuilder): string {
  return services.length === 0 ? "true" : `ServiceName NOT IN ${sql.bind(services, "Array(String)")}`
}

/** Selects the ids of the traces that the limit of spans has room for, by the hash of their ids. */
export function fittingTracesSql(context: ReadContext, query: ActivityScope, sql: SqlBuilder, limit: number): string {
  return `SELECT TraceId FROM (
      SELECT TraceId, sum(spans) OVER (ORDER BY cityHash64(TraceId), TraceId ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS upTo
      FROM (${tracesSql(context, query, sql)}) WHERE spans <= ${limit}
    ) WHERE upTo <= ${limit}`
}

function spansSql(context: ReadContext, query: ActivityScope, sql: SqlBuilder, limit: number): string {
  const { since } = listScope(query, context.oldest)
  const fitting = fittingTracesSql(context, query, sql, limit)
  return `SELECT arrayStringConcat(groupArray(SpanId), ',') AS ids, arrayStringConcat(groupArray(ParentSpanId), ',') AS parents,
      groupArray(Service) AS services, groupArray(SpanName) AS names,
      arrayStringConcat(groupArray(toString(Duration)), ',') AS durations,
      arrayStringConcat(groupArray(if(StatusCode IN ('Error', 'STATUS_CODE_ERROR'), '1', '0'))) AS failed
    FROM (
      SELECT TraceId, SpanId, ParentSpanId, SpanName, ${SERVICE_OF_ROW} AS Service,
        Duration, StatusCode
      FROM ${sql.from("otel_traces")}
      WHERE Timestamp >= ${sql.bindTime(since)} AND TraceId IN (${fitting}) AND ${shownSql(query, sql)}
        AND NOT startsWith(SpanName, '${VITAL_SPAN_PREFIX}')
      LIMIT 1 BY TraceId, SpanId, Service
    ) GROUP BY TraceId `
}

function traceOf({ ids, parents, services, names, durations, failed }: TraceRow): SampledTrace {
  return {
    ids: ids.split(","),
    parents: parents.split(","),
    services,
    names,
    durations: durations.split(",").map((nanos) => Number(nanos) / 1e6),
    failed: [...failed].map((sign) => sign === "1"),
  }
}
