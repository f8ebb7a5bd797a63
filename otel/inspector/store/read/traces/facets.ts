import type { FacetValue, SpanFacets } from "../../../queries/list/trace-overview.ts"
import type { TraceScope } from "../../../queries/list/trace-reader.ts"
import { kindOfName } from "../../rows/stored-values.ts"
import { type ReadContext, readLimits, SqlBuilder } from "../context.ts"
import { traceSql } from "../filter/trace-sql.ts"
import { listScope, type ListScope, matchingTracesSql, startedTracesSql, TRACE_HASH } from "./list-scope.ts"

/** Traces of a scope by what their spans have or lack. */

/** Values per facet. Longer lists are no use to pick from. */
export const FACET_VALUES = 50
const LIMITS = readLimits({ seconds: 10, rows: 10_000 })

interface FacetRow extends FacetValue {
  readonly facet: keyof SpanFacets
}

/** Routes and kinds of the spans of a scope's traces, the most frequent first. Spans without a value do not count. */
export async function readSpanFacets(context: ReadContext, query: TraceScope): Promise<SpanFacets> {
  const sql = new SqlBuilder(context)
  const spans = ofTracesSql(listScope(query, context.oldest), sql)
  const facet = (name: keyof SpanFacets, value: string) =>
    `SELECT '${name}' AS facet, ${value} AS value, ${TRACE_HASH} AS trace
      FROM ${sql.from("otel_traces")} WHERE value != '' AND ${spans}`
  const rows = await context.clickhouse.select<FacetRow>(
    `SELECT facet, value, toUInt32(uniqExact(trace)) AS traces
    FROM (${facet("route", "SpanAttributes['http.route']")} UNION ALL ${facet("kind", "toString(SpanKind)")})
    GROUP BY facet, value ORDER BY traces DESC, value LIMIT ${FACET_VALUES} BY facet ${LIMITS}`,
    sql.parameters,
  )
  const of = (name: keyof SpanFacets) =>
    rows.filter((row) => row.facet === name).map(({ value, traces }) => ({ value, traces }))
  return { route: of("route"), kind: of("kind").map((row) => ({ ...row, value: kindOfName(row.value) })) }
}

/** Whether a row is of a trace of the scope, for a `WHERE`. */
function ofTracesSql(scope: ListScope, sql: SqlBuilder): string {
  const since = `Timestamp >= ${sql.bindTime(scope.since)}`
  if (scope.filter !== undefined) return `${since} AND TraceId IN (${matchingTracesSql(scope, sql)})`
  if (scope.isWhole && scope.service === undefined) return since
  return `${since} AND ${TRACE_HASH} IN (SELECT ${TRACE_HASH} ${startedTracesSql(scope, TRACE_HASH, sql)})`
}

/** Counts the traces of a scope that lack their root, and those that lack the parent of a span. */
export async function readMissing(context: ReadContext, query: TraceScope): Promise<readonly FacetValue[]> {
  const sql = new SqlBuilder(context)
  const scope = listScope(query, context.oldest)
  const lacksParent = traceSql({ is: "missing parent" }, scope.since, sql)
  const roots = `SELECT ${TRACE_HASH} FROM ${sql.from("pagespan_spans")} WHERE IsRoot AND Timestamp >= ${sql.bindTime(scope.since)}`
  const [row] = await context.clickhouse.select<{ readonly root: number; readonly parent: number }>(
    `SELECT toUInt32(countIf(${TRACE_HASH} NOT IN (${roots}))) AS root, toUInt32(countIf(${lacksParent})) AS parent
    FROM (${matchingTracesSql(scope, sql)}) ${LIMITS}`,
    sql.parameters,
  )
  const { root = 0, parent = 0 } = row ?? {}
  return [
    { value: "root", traces: root },
    { value: "parent", traces: parent },
  ]
}
