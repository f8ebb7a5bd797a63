import { nanoseconds, type Nanoseconds } from "../../../protocol/records/time.ts"
import type { EntryStats, ServiceActivity } from "../../queries/list/entry-stats.ts"
import type { TimeSteps } from "../../queries/list/trace-overview.ts"
import type { ActivityScope } from "../../queries/list/trace-reader.ts"
import type { ClickHouse } from "../clickhouse.ts"
import { kindOfWord } from "../rows/span-words.ts"
import { Bindings } from "./filter/bindings.ts"
import { readLimits } from "./limits.ts"
import { listScope, type ListScope, timeSql } from "./list-scope.ts"
import { passingTracesSql } from "./overview.ts"

/** Routes that are read, those that took the most time in all first. */
const ROUTES = 500
const SERVICES = 200
const LIMITS = readLimits({ seconds: 10, rows: 1_000 })
/** Bars of one row. */
type Bars = readonly [indexes: readonly number[], counts: readonly number[]]

interface EntryRow extends Omit<EntryStats, "p50" | "p95" | "slowest" | "bars"> {
  readonly p50: string
  readonly p95: string
  readonly slowest: string
  readonly bars: Bars
}

/** `sentry.op` of page roots, ours and those of Sentry's SDKs. */
const PAGE_ENTRY = "SpanAttributes['sentry.op'] IN ('pageload', 'navigation')"
const IS_ENTRY = `(ParentSpanId = '' OR SpanKind IN ('Server', 'Consumer') OR ${PAGE_ENTRY})`

/** What the entries of each route took, over the traces of the scope. A span that both protocols brought counts once. */
export async function entryStats(
  clickhouse: ClickHouse,
  query: ActivityScope,
  steps: TimeSteps | undefined,
  oldest: Nanoseconds,
): Promise<readonly EntryStats[]> {
  const bindings = new Bindings()
  const scope = listScope(query, oldest)
  const rows = await clickhouse.select<EntryRow>(
    `SELECT route, if(op = '', toString(kind), op) AS entry, toUInt32(count()) AS count, toUInt32(countIf(hasFailed)) AS failed,
      toString(toUInt64(quantileExact(0.5)(length))) AS p50, toString(toUInt64(quantileExact(0.95)(length))) AS p95,
      toString(max(length)) AS slowest, argMax(trace, length) AS slowestTraceId, ${barsSql("began", steps, bindings)} AS bars
    FROM (
      SELECT SpanAttributes['http.route'] AS route, if(${PAGE_ENTRY}, SpanAttributes['sentry.op'], '') AS op,
        SpanKind AS kind, StatusCode = 'Error' AS hasFailed, Duration AS length, TraceId AS trace, Timestamp AS began
      FROM otel_traces WHERE Timestamp >= ${timeSql(scope.since, bindings)} AND route != '' AND ${IS_ENTRY}
        AND ${ofScope(query, scope, bindings)}
      LIMIT 1 BY TraceId, SpanId
    ) GROUP BY route, entry ORDER BY sum(length) DESC, route, entry LIMIT ${ROUTES} ${LIMITS}`,
    bindings.values,
  )
  return rows.map((row) => ({
    ...row,
    entry: row.entry === "pageload" || row.entry === "navigation" ? row.entry : kindOfWord(row.entry),
    p50: nanoseconds(BigInt(row.p50)),
    p95: nanoseconds(BigInt(row.p95)),
    slowest: nanoseconds(BigInt(row.slowest)),
    bars: spread(row.bars, steps),
  }))
}

/** In how many of the scope's traces each service took part, the busiest first. */
export async function serviceActivity(
  clickhouse: ClickHouse,
  query: ActivityScope,
  steps: TimeSteps,
  oldest: Nanoseconds,
): Promise<readonly ServiceActivity[]> {
  const bindings = new Bindings()
  const scope = listScope(query, oldest)
  const rows = await clickhouse.select<Omit<ServiceActivity, "bars"> & { bars: Bars }>(
    `SELECT service, toUInt32(count()) AS traces, toUInt32(countIf(hasFailed)) AS failed,
      ${barsSql("began", steps, bindings)} AS bars
    FROM (
      SELECT toString(ServiceName) AS service, min(Timestamp) AS began, max(IsError) AS hasFailed FROM pagespan_spans
      WHERE Timestamp >= ${timeSql(scope.since, bindings)} AND ${ofScope(query, scope, bindings)}
      GROUP BY TraceId, service
    ) GROUP BY service ORDER BY traces DESC, service LIMIT ${SERVICES} ${LIMITS}`,
    bindings.values,
  )
  return rows.map((row) => ({ ...row, bars: spread(row.bars, steps) }))
}

/** Spans by their own time; where a filter is asked, those of the traces that pass it and began in that time. */
function ofScope(query: ActivityScope, scope: ListScope, bindings: Bindings): string {
  const { withoutServices: services = [] } = query
  const without = services.length === 0 ? "" : `ServiceName NOT IN ${bindings.bind(services, "Array(String)")} AND `
  if (scope.filter !== undefined || scope.service !== undefined)
    return `${without}TraceId IN (${passingTracesSql(scope, bindings)})`
  return scope.until === undefined ? `${without}true` : `${without}Timestamp < ${timeSql(scope.until, bindings)}`
}

function barsSql(began: string, steps: TimeSteps | undefined, bindings: Bindings): string {
  if (steps === undefined) return "([]::Array(UInt32), []::Array(UInt32))"
  const length = bindings.bind(BigInt(steps.stepMs) * 1_000_000n, "Int64")
  const since = `toInt64(toUnixTimestamp64Nano(${began})) - ${bindings.bind(steps.from, "Int64")}`
  const last = bindings.bind(steps.count - 1, "UInt32")
  const index = `toUInt32(least(greatest(intDiv(${since}, ${length}), 0), ${last}))`
  return `sumMap([${index}], [toUInt32(1)])`
}

function spread([indexes, counts]: Bars, steps: TimeSteps | undefined): number[] {
  const bars = Array.from({ length: steps?.count ?? 0 }, () => 0)
  indexes.forEach((index, position) => (bars[index] = Number(counts[position] ?? 0)))
  return bars
}
