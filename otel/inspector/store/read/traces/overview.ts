import { nanoseconds } from "../../../../protocol/records/time.ts"
import type { TraceFigures, TraceOverview } from "../../../queries/list/trace-overview.ts"
import type { TraceScope } from "../../../queries/list/trace-reader.ts"
import { type ReadContext, readLimits, SqlBuilder } from "../context.ts"
import { momentSql } from "../moments.ts"
import { TRACE_DURATION } from "../filter/trace-sql.ts"
import { FACET_VALUES } from "./facets.ts"
import { candidatesSql, listScope, type ListScope, matchingSql, startedTracesSql, TRACE_HASH } from "./list-scope.ts"

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
      FROM (${await tracesSql(context, scope, sql)})
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

/** Selects the traces of the scope. Without a filter, and where all spans arrived by one protocol, few columns tell. */
async function tracesSql(context: ReadContext, scope: ListScope, sql: SqlBuilder): Promise<string> {
  const [source, other] = scope.filter === undefined ? await readSources(context, scope) : []
  if (source !== undefined && other === undefined) {
    const failed = `SELECT ${TRACE_HASH} FROM ${sql.from("pagespan_spans")}
      WHERE IsError AND Timestamp >= ${sql.bindTime(scope.since)}`
    const is = (one: string) => (source === one ? "true" : "false")
    return `SELECT toUnixTimestamp64Milli(min(Timestamp)) AS began, ${TRACE_HASH} IN (${failed}) AS hasFailed,
      ${is("otlp")} AS byOtlp, ${is("sentry")} AS bySentry, arrayDistinct(groupArray(ServiceName)) AS services
    ${startedTracesSql(scope, TRACE_HASH, sql)}`
  }
  return `SELECT toUnixTimestamp64Milli(min(Timestamp)) AS began, max(IsError) AS hasFailed,
      max(Source = 'otlp') AS byOtlp, max(Source = 'sentry') AS bySentry, groupUniqArray(ServiceName) AS services
    FROM ${sql.from("pagespan_spans")} WHERE ${candidatesSql(scope, sql)} GROUP BY TraceId HAVING ${matchingSql(scope, sql)}`
}

/** The protocols by which the spans since the start of the scope arrived. */
async function readSources(context: ReadContext, { since }: ListScope): Promise<readonly string[]> {
  const sql = new SqlBuilder(context)
  const rows = await context.clickhouse.select<{ source: string }>(
    `SELECT DISTINCT Source AS source FROM ${sql.from("pagespan_spans")} WHERE Timestamp >= ${sql.bindTime(since)} ${LIMITS}`,
    sql.parameters,
  )
  return rows.map(({ source }) => source)
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
