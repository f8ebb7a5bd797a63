import { nanoseconds } from "../../../../protocol/records/time.ts"
import type { FacetValue, SpanFacets, TraceFigures, TraceOverview } from "../../../queries/list/trace-overview.ts"
import type { TraceScope } from "../../../queries/list/trace-reader.ts"
import { kindOfName } from "../../rows/stored-values.ts"
import { type ReadContext, readLimits, SqlBuilder } from "../context.ts"
import { momentSql } from "../moments.ts"
import { TRACE_DURATION, traceSql } from "../filter/trace-sql.ts"
import { candidatesSql, listScope, matchingSql, matchingTracesSql } from "./list-scope.ts"

/** Values per facet. Longer lists are no use to pick from. */
const FACET_VALUES = 50
/** Rows of each kind; 60 days have at most 5,400 moments. */
const ROWS = 10_000
const LIMITS = readLimits({ seconds: 10, rows: 2 * ROWS })

interface CountRow {
  readonly kind: "moment" | "service"
  /** A service, or the start of a moment in milliseconds since the epoch. */
  readonly value: string
  readonly traces: number
  readonly failed: number
  readonly otlp: number
  readonly sentry: number
  readonly both: number
}

/** Counts the traces of a scope by the moment in which they began, and by their services, in one pass. */
export async function overviewTraces(context: ReadContext, query: TraceScope, nowMs: number): Promise<TraceOverview> {
  const sql = new SqlBuilder(context)
  const scope = listScope(query, context.oldest)
  const endMs = query.until === undefined ? BigInt(nowMs) : query.until / 1_000_000n
  const rows = await context.clickhouse.select<CountRow>(
    `SELECT counted.1 AS kind, counted.2 AS value, toUInt32(count()) AS traces, toUInt32(countIf(hasFailed)) AS failed,
      toUInt32(countIf(byOtlp)) AS otlp, toUInt32(countIf(bySentry)) AS sentry,
      toUInt32(countIf(byOtlp AND bySentry)) AS both
    FROM (
      SELECT hasFailed, byOtlp, bySentry, arrayJoin(arrayConcat(
        [('moment', toString(${momentSql("began", sql.bind(endMs, "Int64"))}))],
        arrayMap(service -> ('service', toString(service)), services)
      )) AS counted
      FROM (
        SELECT toUnixTimestamp64Milli(min(Timestamp)) AS began, max(IsError) AS hasFailed,
          max(Source = 'otlp') AS byOtlp, max(Source = 'sentry') AS bySentry, groupUniqArray(ServiceName) AS services
        FROM ${sql.from("pagespan_spans")} WHERE ${candidatesSql(scope, sql)} GROUP BY TraceId HAVING ${matchingSql(scope, sql)}
      )
    ) GROUP BY kind, value ORDER BY kind, traces DESC, value LIMIT ${ROWS} BY kind ${LIMITS}`,
    sql.parameters,
  )
  const moments = rows.filter(({ kind }) => kind === "moment")
  const services = rows.filter(({ kind }) => kind === "service")
  const sum = (of: (row: CountRow) => number) => moments.reduce((total, row) => total + of(row), 0)
  return {
    traces: sum(({ traces }) => traces),
    failed: sum(({ failed }) => failed),
    otlp: sum(({ otlp }) => otlp),
    sentry: sum(({ sentry }) => sentry),
    both: sum(({ both }) => both),
    moments: moments
      .map(({ value, traces, failed }) => ({ atMs: Number(value), traces, failed }))
      .sort((a, b) => a.atMs - b.atMs),
    services: services.slice(0, FACET_VALUES).map(({ value, traces }) => ({ value, traces })),
  }
}

interface FiguresRow extends Pick<TraceFigures, "traces" | "failed"> {
  readonly p95: string
}

/** Counts the traces of a scope and measures their durations, in one pass. */
export async function measureTraces(context: ReadContext, query: TraceScope): Promise<TraceFigures> {
  const sql = new SqlBuilder(context)
  const scope = listScope(query, context.oldest)
  const [row] = await context.clickhouse.select<FiguresRow>(
    `SELECT toUInt32(count()) AS traces, toUInt32(countIf(hasFailed)) AS failed,
      toString(toUInt64(ifNotFinite(quantileExact(0.95)(length), 0))) AS p95
    FROM (
      SELECT ${TRACE_DURATION} AS length, max(IsError) AS hasFailed
      FROM ${sql.from("pagespan_spans")} WHERE ${candidatesSql(scope, sql)} GROUP BY TraceId HAVING ${matchingSql(scope, sql)}
    ) ${LIMITS}`,
    sql.parameters,
  )
  const { traces = 0, failed = 0, p95 = "0" } = row ?? {}
  return { traces, failed, p95: traces === 0 ? undefined : nanoseconds(BigInt(p95)) }
}

interface FacetRow extends FacetValue {
  readonly facet: keyof SpanFacets
}

/** Routes and kinds of the spans of a scope's traces, the most frequent first. Spans without a value do not count. */
export async function readSpanFacets(context: ReadContext, query: TraceScope): Promise<SpanFacets> {
  const sql = new SqlBuilder(context)
  const rows = await context.clickhouse.select<FacetRow>(
    `SELECT had.1 AS facet, had.2 AS value, toUInt32(uniqExact(TraceId)) AS traces
    FROM (
      SELECT TraceId, arrayJoin([('route', SpanAttributes['http.route']), ('kind', toString(SpanKind))]) AS had
      FROM ${sql.from("otel_traces")} WHERE TraceId IN (${matchingTracesSql(listScope(query, context.oldest), sql)})
    ) WHERE value != '' GROUP BY facet, value ORDER BY traces DESC, value LIMIT ${FACET_VALUES} BY facet ${LIMITS}`,
    sql.parameters,
  )
  const of = (name: keyof SpanFacets) =>
    rows.filter(({ facet }) => facet === name).map(({ value, traces }) => ({ value, traces }))
  return { route: of("route"), kind: of("kind").map((row) => ({ ...row, value: kindOfName(row.value) })) }
}

/** Counts the traces of a scope that lack their root, and those that lack the parent of a span. */
export async function readMissing(context: ReadContext, query: TraceScope): Promise<readonly FacetValue[]> {
  const sql = new SqlBuilder(context)
  const scope = listScope(query, context.oldest)
  const lacks = (what: "root" | "parent") => traceSql({ is: `missing ${what}` }, scope.since, sql)
  const [row] = await context.clickhouse.select<{ readonly root: number; readonly parent: number }>(
    `SELECT toUInt32(countIf(lacksRoot)) AS root, toUInt32(countIf(lacksParent)) AS parent
    FROM (
      SELECT ${lacks("root")} AS lacksRoot, ${lacks("parent")} AS lacksParent
      FROM ${sql.from("pagespan_spans")} WHERE ${candidatesSql(scope, sql)} GROUP BY TraceId HAVING ${matchingSql(scope, sql)}
    ) ${LIMITS}`,
    sql.parameters,
  )
  const { root = 0, parent = 0 } = row ?? {}
  return [
    { value: "root", traces: root },
    { value: "parent", traces: parent },
  ]
}
