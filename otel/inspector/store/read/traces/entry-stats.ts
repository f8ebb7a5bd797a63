import { nanoseconds } from "../../../../protocol/records/time.ts"
import type { EntryStats, ServiceActivity } from "../../../queries/list/entry-stats.ts"
import type { TimeSteps } from "../../../queries/list/trace-overview.ts"
import type { ActivityScope } from "../../../queries/list/trace-reader.ts"
import { kindOfName } from "../../rows/stored-values.ts"
import { type Bars, barsSql, spread } from "../bars.ts"
import { type ReadContext, readLimits, SqlBuilder } from "../context.ts"
import { listScope, spansInScopeSql } from "./list-scope.ts"

/** Routes at most, by total duration. */
const ROUTES = 500
const SERVICES = 200
const LIMITS = readLimits({ seconds: 10, rows: 1_000 })

interface EntryRow extends Omit<EntryStats, "p50" | "p95" | "slowest" | "bars"> {
  readonly p50: string
  readonly p95: string
  readonly slowest: string
  readonly bars: Bars
}

/** `sentry.op` of root spans of pages, from Pagespan and from Sentry's SDKs. */
const PAGE_ENTRY = "SpanAttributes['sentry.op'] IN ('pageload', 'navigation')"
const IS_ENTRY = `(ParentSpanId = '' OR SpanKind IN ('Server', 'Consumer') OR ${PAGE_ENTRY})`

/** Durations of the entry spans of each route, over the traces of a scope. A span that arrived by both protocols counts once. */
export async function entryStats(
  context: ReadContext,
  query: ActivityScope,
  steps: TimeSteps | undefined,
): Promise<readonly EntryStats[]> {
  const sql = new SqlBuilder(context)
  const scope = listScope(query, context.oldest)
  const rows = await context.clickhouse.select<EntryRow>(
    `SELECT route, if(op = '', toString(kind), op) AS entry, toUInt32(count()) AS count, toUInt32(countIf(hasFailed)) AS failed,
      toString(toUInt64(quantileExact(0.5)(length))) AS p50, toString(toUInt64(quantileExact(0.95)(length))) AS p95,
      toString(max(length)) AS slowest, argMax(trace, length) AS slowestTraceId, ${barsSql("began", steps, sql)} AS bars
    FROM (
      SELECT SpanAttributes['http.route'] AS route, if(${PAGE_ENTRY}, SpanAttributes['sentry.op'], '') AS op,
        SpanKind AS kind, StatusCode = 'Error' AS hasFailed, Duration AS length, TraceId AS trace, Timestamp AS began
      FROM ${sql.from("otel_traces")} WHERE ${spansInScopeSql(query, scope, sql)} AND route != '' AND ${IS_ENTRY}
      LIMIT 1 BY TraceId, SpanId
    ) GROUP BY route, entry ORDER BY sum(length) DESC, route, entry LIMIT ${ROUTES} ${LIMITS}`,
    sql.parameters,
  )
  return rows.map((row) => ({
    ...row,
    entry: row.entry === "pageload" || row.entry === "navigation" ? row.entry : kindOfName(row.entry),
    p50: nanoseconds(BigInt(row.p50)),
    p95: nanoseconds(BigInt(row.p95)),
    slowest: nanoseconds(BigInt(row.slowest)),
    bars: spread(row.bars, steps),
  }))
}

/** In how many of a scope's traces each service appears, the busiest first. */
export async function serviceActivity(
  context: ReadContext,
  query: ActivityScope,
  steps: TimeSteps,
): Promise<readonly ServiceActivity[]> {
  const sql = new SqlBuilder(context)
  const scope = listScope(query, context.oldest)
  type Row = Omit<ServiceActivity, "bars" | "failedBars"> & { bars: Bars; failedBars: Bars }
  const rows = await context.clickhouse.select<Row>(
    `SELECT service, toUInt32(count()) AS traces, toUInt32(countIf(hasFailed)) AS failed,
      ${barsSql("began", steps, sql)} AS bars, ${barsSql("began", steps, sql, "hasFailed")} AS failedBars
    FROM (
      SELECT toString(ServiceName) AS service, min(Timestamp) AS began, max(IsError) AS hasFailed FROM ${sql.from("pagespan_spans")}
      WHERE ${spansInScopeSql(query, scope, sql)}
      GROUP BY TraceId, service
    ) GROUP BY service ORDER BY traces DESC, service LIMIT ${SERVICES} ${LIMITS}`,
    sql.parameters,
  )
  return rows.map((row) => ({ ...row, bars: spread(row.bars, steps), failedBars: spread(row.failedBars, steps) }))
}
