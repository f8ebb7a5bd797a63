import type { ListPosition } from "../../../queries/list/list-cursor.ts"
import type { TraceOrder } from "../../../queries/list/trace-reader.ts"
import { isDenial, isGroup, type SpanTree } from "../../../search/tree.ts"
import { readLimits, type SqlBuilder } from "../context.ts"
import { spanSql } from "../filter/span-sql.ts"
import {
  errorCountSql,
  HEAD_ORDER,
  ofTracesWithSql,
  TRACE_DURATION,
  TRACE_END,
  TRACE_NAME,
} from "../filter/trace-sql.ts"
import {
  candidatesSql,
  hasServiceSql,
  type ListScope,
  ofServiceSql,
  requiredSpans,
  requiredSpansSql,
  restOfFilterSql,
  type ServiceTest,
  startedSql,
} from "./list-scope.ts"

/** The statements of the trace list; `list-traces.ts` explains how they work together. */

const LIMITS = readLimits({ seconds: 10, rows: 100_000 })
/** Past this number, the next statement looks up the ids of a window's traces again instead of receiving them. */
const MANY_TRACES = 1_000

/** A window of start times: after `above`, up to and including `upTo`. */
export interface Window {
  readonly above: bigint
  readonly upTo: bigint
  /** Whether no trace of the scope began before it. */
  readonly last: boolean
  /** The traces with a row in the window, if they are few. */
  readonly traceIds?: readonly string[] | undefined
}

/** How far back in time a window extends. */
export interface WindowSize {
  /** Newest rows of `pagespan_starts` that the statement reads. */
  readonly rows: number
  /** Traces that appear to begin in the window, by these rows: it extends no further than so many. */
  readonly traces: number
}

export interface WindowRow {
  /** Start of the last of these traces: the lower end of the window. */
  readonly lowest: string
  readonly isLast: boolean
  /** The traces with a row in the window; empty if they are many. */
  readonly traceIds: readonly string[]
  readonly areMany: boolean
}

/** As `findWindowSql`, for a window whose traces the next statement looks up itself: it reads times alone. */
export function findLowestSql(scope: ListScope, upTo: bigint, rows: number, sql: SqlBuilder): string {
  const limit = sql.bind(rows, "UInt32")
  return `SELECT toString(toUnixTimestamp64Nano(min(Timestamp))) AS lowest, count() < ${limit} AS isLast,
    CAST([], 'Array(String)') AS traceIds, true AS areMany
  FROM (
    SELECT Timestamp FROM ${startsSql(scope, upTo, sql)} ORDER BY Timestamp DESC LIMIT ${limit}
  ) ${LIMITS}`
}

function startsSql({ since, service }: ListScope, upTo: bigint, sql: SqlBuilder): string {
  return `${sql.from("pagespan_starts")}
        WHERE Timestamp >= ${sql.bindTime(since)} AND Timestamp <= ${sql.bindTime(upTo)}${ofServiceSql(service, sql)}`
}

/** Finds the window that the newest rows up to a time span. */
export function findWindowSql(scope: ListScope, upTo: bigint, size: WindowSize, sql: SqlBuilder): string {
  const [rows, traces] = [sql.bind(size.rows, "UInt32"), sql.bind(size.traces, "UInt32")]
  return `SELECT toString(toUnixTimestamp64Nano(bottom)) AS lowest, isLast,
    length(seen) > ${MANY_TRACES} AS areMany,
    if(areMany, [], arrayMap(one -> one.1, arrayFilter(one -> isLast OR one.2 > bottom, seen))) AS traceIds
  FROM (
    SELECT arrayReverseSort(groupArray(began))[least(count(), ${traces})] AS bottom,
      sum(starts) < ${rows} AND count() < ${traces} AS isLast, groupArray((TraceId, latest)) AS seen
    FROM (
      SELECT TraceId, min(Timestamp) AS began, max(Timestamp) AS latest, count() AS starts FROM (
        SELECT Timestamp, TraceId FROM ${startsSql(scope, upTo, sql)}
        ORDER BY Timestamp DESC LIMIT ${rows}
      ) GROUP BY TraceId
    )
  ) ${LIMITS}`
}

/** Selects traces with a span that the filter requires: all of them, or `limit` if there are more. */
export function fewSql(scope: ListScope, where: SpanTree, limit: number, sql: SqlBuilder): string {
  return `SELECT DISTINCT TraceId AS traceId FROM ${sql.from("otel_traces")}
  WHERE Timestamp >= ${sql.bindTime(scope.since)} AND ${spanSql(where, "otel_traces", sql)}
  LIMIT ${sql.bind(limit, "UInt32")} ${LIMITS}`
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

export interface PageWindow extends Window {
  /** Whether it has no upper end. */
  readonly isNewest: boolean
  /** Whether the collector's table is in the order of time, as in the embedded engine. */
  readonly isInTimeOrder: boolean
  /** Whether all traces that began after the window are on the page already, or there are none. */
  readonly isNext: boolean
  /** Whether few traces can match, by what earlier windows returned: they are summed up without selecting those of the page first. */
  readonly areFew: boolean
}

export interface PageScope extends ListScope {
  readonly order: TraceOrder
  readonly after: ListPosition | undefined
  readonly limit: number
  /** The window of the page; `undefined` for all traces that began in the scope. */
  readonly window: PageWindow | undefined
  /** The only traces that can match the filter, if they are known to be few: the page holds those of the window. */
  readonly among?: readonly string[] | undefined
}

/**
 * Sums up the traces of a page. Without a window, or with a filter, there can be many more candidates than the page holds:
 * a subquery first selects those of the page, reading no more than filter and order need. A span that was stored twice counts
 * once (`uniqExact`); one that arrived by both protocols is one span with two sources. The root names the trace, or its
 * earliest span if there is no root.
 */
export function pageSql(scope: PageScope, sql: SqlBuilder): string {
  const { order } = scope
  const direction = order.isAscending ? "ASC" : "DESC"
  const value = orderValueSql(scope, sql)
  const sorted = `ORDER BY ${value} ${direction}, TraceId ${direction}`
  const limit = `LIMIT ${sql.bind(scope.limit, "UInt32")}`
  const conditions = [
    startedSql(scope, sql),
    windowSql(scope, sql),
    hasServiceSql(scope.service, sql),
    afterSql(scope, value, sql),
    restOfFilterSql(scope.filter, oldestSpan(scope), sql),
  ]
  const candidates = inWindowSql(scope, sql)
  const areMany = scope.window === undefined || (scope.filter !== undefined && !scope.window.areFew)
  const having = `HAVING ${conditions.filter((condition) => condition !== "").join(" AND ")}`
  const ofPage = `TraceId IN (
    SELECT TraceId FROM ${sql.from("pagespan_spans")} WHERE ${candidates} GROUP BY TraceId ${having} ${sorted} ${limit}
  )`
  return `SELECT TraceId AS traceId,
    ${TRACE_NAME} AS name,
    max(IsRoot) AS hasRoot,
    argMin(ServiceName, ${HEAD_ORDER}) AS rootService,
    arraySort(groupUniqArray(ServiceName)) AS services,
    toString(min(toUnixTimestamp64Nano(Timestamp))) AS start,
    toString(${TRACE_END}) AS end,
    toUInt32(uniqExact(SpanId)) AS spanCount,
    toUInt32(uniqExactIf(SpanId, IsError)) AS errorCount,
    arraySort(groupUniqArray(Source)) AS sources
  FROM ${sql.from("pagespan_spans")} WHERE ${areMany ? ofPage : candidates} GROUP BY TraceId
  ${areMany ? "" : having} ${sorted} ${limit} ${LIMITS}`
}

/** Integers, which a cursor holds exactly. */
const ORDER_VALUES: Readonly<Record<Exclude<TraceOrder["by"], "errors">, string>> = {
  time: "min(toUnixTimestamp64Nano(Timestamp))",
  duration: TRACE_DURATION,
  spans: "uniqExact(SpanId)",
}

function orderValueSql(scope: PageScope, sql: SqlBuilder): string {
  const { by } = scope.order
  return by === "errors" ? errorCountSql(oldestSpan(scope), sql) : ORDER_VALUES[by]
}

/** No span of a trace on the page began before this. */
function oldestSpan({ since, window }: PageScope): bigint {
  return window === undefined || window.above < since ? since : window.above
}

function windowSql({ window }: PageScope, sql: SqlBuilder): string {
  if (window === undefined) return ""
  return `min(Timestamp) > ${sql.bindTime(window.above)} AND min(Timestamp) <= ${sql.bindTime(window.upTo)}`
}

function afterSql({ after, order }: PageScope, orderValue: string, sql: SqlBuilder): string {
  if (after === undefined) return ""
  const position = `(${sql.bind(after.value, "Int64")}, ${sql.bind(after.id)})`
  return `(toInt64(${orderValue}), TraceId) ${order.isAscending ? ">" : "<"} ${position}`
}

/**
 * Traces with a row in the window, some of which began before it, and with the spans that the filter requires. A service
 * may join a trace after the window's end.
 */
function inWindowSql(scope: PageScope, sql: SqlBuilder): string {
  const { window, service, among, filter } = scope
  if (window === undefined) return candidatesSql(scope, sql)
  const required = requiredSpansSql(filter, oldestSpan(scope), sql)
  if (among !== undefined) return [`TraceId IN ${sql.bind(among, "Array(String)")}`, ...required].join(" AND ")
  if (service?.is !== "equal" && window.isNext) {
    const found = required.length > 0 ? required : narrowSpansSql(scope, window, sql)
    // These spans began after the window's lower end: most are of traces of the window, and the others are on the page.
    if (found.length > 0) return found.join(" AND ")
  }
  return [startedInWindowSql(window, service, sql), ...required].join(" AND ")
}

/**
 * Spans of the window that the narrow table has the columns for too. In the embedded engine's order the collector's table
 * finds them sooner: the narrow one, in the order of trace ids, has the traces of a window in every place.
 */
function narrowSpansSql(scope: PageScope, { isInTimeOrder }: PageWindow, sql: SqlBuilder): string[] {
  const narrow = isInTimeOrder ? requiredSpans(scope.filter, "pagespan_spans").filter(hasNoSource) : []
  return narrow.map((where) => ofTracesWithSql(where, oldestSpan(scope), sql))
}

function hasNoSource(where: SpanTree): boolean {
  if (isGroup(where)) return where.nodes.every(hasNoSource)
  return isDenial(where) ? hasNoSource(where.node) : where.is !== "source"
}

function startedInWindowSql(window: PageWindow, service: ServiceTest | undefined, sql: SqlBuilder): string {
  const starts = `SELECT TraceId FROM ${sql.from("pagespan_starts")} WHERE`
  const above = `Timestamp > ${sql.bindTime(window.above)}`
  const inWindow = `${starts} ${above} AND Timestamp <= ${sql.bindTime(window.upTo)}`
  if (service === undefined) return `TraceId IN (${inWindow})`
  const joined = `${starts} ${above}${ofServiceSql(service, sql)}`
  return window.isNewest ? `TraceId IN (${joined})` : `TraceId IN (${inWindow} AND TraceId IN (${joined}))`
}
