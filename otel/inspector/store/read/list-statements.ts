import type { TraceOrder } from "../../queries/list/trace-reader.ts"
import type { SpanTree } from "../../search/tree.ts"
import type { ListPosition } from "./cursor.ts"
import type { Bindings } from "./filter/bindings.ts"
import { spanSql } from "./filter/span-sql.ts"
import { TRACE_DURATION, TRACE_NAME, traceSql } from "./filter/trace-sql.ts"
import { readLimits } from "./limits.ts"
import { candidatesSql, type ListScope, startedSql, timeSql } from "./list-scope.ts"

/** The statements of the trace list; see ./list-traces.ts for how they work together. */

const LIMITS = readLimits({ seconds: 10, rows: 100_000 })
/** Past so many, the ids of a window's traces are looked up once more rather than told to and fro. */
const MANY_TRACES = 1_000

/** A window of start times: above `above`, up to and with `upTo`. */
export interface Window {
  readonly above: bigint
  readonly upTo: bigint
  /** Whether nothing older is left below it. */
  readonly last: boolean
  /** The traces with a row in it, where they are few. */
  readonly traceIds?: readonly string[] | undefined
}

/** How far down a window goes. */
export interface WindowSize {
  /** Newest rows of `pagespan_starts` that are looked at. */
  readonly rows: number
  /** Traces that seem to begin in it, by these rows; past so many it goes no further down. */
  readonly traces: number
}

export interface WindowRow {
  /** When the last of the traces began, by these rows: where the window ends. */
  readonly lowest: string
  /** Whether there are no more rows. */
  readonly isLast: boolean
  /** The traces with a row in the window; none are named where they are many. */
  readonly traceIds: readonly string[]
  readonly areMany: boolean
}

/** What the newest rows up to a time tell of. */
export function findWindowSql(scope: ListScope, upTo: bigint, size: WindowSize, bindings: Bindings): string {
  const ofService = scope.service === undefined ? "" : `AND ServiceName = ${bindings.bind(scope.service)}`
  const [rows, traces] = [bindings.bind(size.rows, "UInt32"), bindings.bind(size.traces, "UInt32")]
  return `SELECT toString(toUnixTimestamp64Nano(bottom)) AS lowest, isLast,
    length(seen) > ${MANY_TRACES} AS areMany,
    if(areMany, [], arrayMap(one -> one.1, arrayFilter(one -> isLast OR one.2 > bottom, seen))) AS traceIds
  FROM (
    SELECT arrayReverseSort(groupArray(began))[least(count(), ${traces})] AS bottom,
      sum(starts) < ${rows} AND count() < ${traces} AS isLast, groupArray((TraceId, latest)) AS seen
    FROM (
      SELECT TraceId, min(Timestamp) AS began, max(Timestamp) AS latest, count() AS starts FROM (
        SELECT Timestamp, TraceId FROM pagespan_starts
        WHERE Timestamp >= ${timeSql(scope.since, bindings)} AND Timestamp <= ${timeSql(upTo, bindings)} ${ofService}
        ORDER BY Timestamp DESC LIMIT ${rows}
      ) GROUP BY TraceId
    )
  ) ${LIMITS}`
}

/** Some traces with a span that the filter asks of all: no more than `limit`, and all where they are fewer. */
export function fewSql(scope: ListScope, where: SpanTree, limit: number, bindings: Bindings): string {
  return `SELECT DISTINCT TraceId AS traceId FROM otel_traces
  WHERE Timestamp >= ${timeSql(scope.since, bindings)} AND ${spanSql(where, "otel_traces", bindings)}
  LIMIT ${bindings.bind(limit, "UInt32")} ${LIMITS}`
}

export interface SummaryRow {
  readonly traceId: string
  readonly name: string
  readonly hasRoot: boolean
  readonly rootService: string
  readonly services: readonly string[]
  readonly start: string
  readonly end: string
  readonly spanCount: number
  readonly errorCount: number
  readonly sources: readonly string[]
}

export interface PageScope extends ListScope {
  readonly order: TraceOrder
  readonly after: ListPosition | undefined
  readonly limit: number
  /** Which traces to look at; `undefined` for all that began in the scope. */
  readonly window: (Window & { readonly isNewest: boolean }) | undefined
  /** The only traces that can pass the filter, where they are known to be few: those of the window are looked at. */
  readonly among?: readonly string[] | undefined
}

/**
 * Sums up the traces of a page. Where a filter is asked, those on it are found first, by no more than it needs. A span
 * that was stored twice counts once (`uniqExact`), and one that came by both protocols is one span with two sources.
 * The root names the trace; without one the earliest span does.
 */
export function pageSql(scope: PageScope, bindings: Bindings): string {
  const { order } = scope
  const direction = order.isAscending ? "ASC" : "DESC"
  const sorted = `ORDER BY ${ORDER_VALUES[order.by]} ${direction}, TraceId ${direction}`
  const limit = `LIMIT ${bindings.bind(scope.limit, "UInt32")}`
  const conditions = [startedSql(scope, bindings), windowSql(scope, bindings), afterSql(scope, bindings)]
  if (scope.filter !== undefined) conditions.push(traceSql(scope.filter, oldestSpan(scope), bindings))
  const candidates = inWindowSql(scope, bindings)
  const having = `HAVING ${conditions.filter((condition) => condition !== "").join(" AND ")}`
  const ofPage = `TraceId IN (
    SELECT TraceId FROM pagespan_spans WHERE ${candidates} GROUP BY TraceId ${having} ${sorted} ${limit}
  )`
  return `SELECT TraceId AS traceId,
    ${TRACE_NAME} AS name,
    max(IsRoot) AS hasRoot,
    argMin(ServiceName, (NOT IsRoot, Timestamp, SpanId)) AS rootService,
    arraySort(groupUniqArray(ServiceName)) AS services,
    toString(min(toUnixTimestamp64Nano(Timestamp))) AS start,
    toString(max(toUnixTimestamp64Nano(Timestamp) + Duration)) AS end,
    toUInt32(uniqExact(SpanId)) AS spanCount,
    toUInt32(uniqExactIf(SpanId, IsError)) AS errorCount,
    arraySort(groupUniqArray(Source)) AS sources
  FROM pagespan_spans WHERE ${scope.filter === undefined ? candidates : ofPage} GROUP BY TraceId
  ${scope.filter === undefined ? having : ""} ${sorted} ${limit} ${LIMITS}`
}

/** Whole numbers, so that a cursor holds them to the last digit. */
const ORDER_VALUES: Readonly<Record<TraceOrder["by"], string>> = {
  time: "min(toUnixTimestamp64Nano(Timestamp))",
  duration: TRACE_DURATION,
  spans: "uniqExact(SpanId)",
  errors: "uniqExactIf(SpanId, IsError)",
}

/** No span of a trace on the page began before this. */
function oldestSpan({ since, window }: PageScope): bigint {
  return window === undefined || window.above < since ? since : window.above
}

function windowSql({ window, among }: PageScope, bindings: Bindings): string {
  if (window === undefined) return ""
  const above = `min(Timestamp) > ${timeSql(window.above, bindings)}`
  return among === undefined ? above : `${above} AND min(Timestamp) <= ${timeSql(window.upTo, bindings)}`
}

function afterSql({ after, order }: PageScope, bindings: Bindings): string {
  if (after === undefined) return ""
  const place = `(${bindings.bind(after.value, "Int64")}, ${bindings.bind(after.id)})`
  return `(toInt64(${ORDER_VALUES[order.by]}), TraceId) ${order.isAscending ? ">" : "<"} ${place}`
}

/** Traces with a row in the window, of which some began below it. A service may join a trace after the window's end. */
function inWindowSql(scope: PageScope, bindings: Bindings): string {
  const { window, service, among } = scope
  if (among !== undefined) return `TraceId IN ${bindings.bind(among, "Array(String)")}`
  if (window === undefined) return candidatesSql(scope, bindings)
  const above = `Timestamp > ${timeSql(window.above, bindings)}`
  const inWindow = `SELECT TraceId FROM pagespan_starts WHERE ${above} AND Timestamp <= ${timeSql(window.upTo, bindings)}`
  if (service === undefined) return `TraceId IN (${inWindow})`
  const joined = `SELECT TraceId FROM pagespan_starts WHERE ${above} AND ServiceName = ${bindings.bind(service)}`
  return window.isNewest ? `TraceId IN (${joined})` : `TraceId IN (${inWindow} AND TraceId IN (${joined}))`
}
