import type { ListPosition } from "../../../queries/list/list-cursor.ts"
import type { TraceOrder } from "../../../queries/list/trace-reader.ts"
import type { SpanTree } from "../../../search/tree.ts"
import { readLimits, type SqlBuilder } from "../context.ts"
import { spanSql } from "../filter/span-sql.ts"
import { errorCountSql, HEAD_ORDER, TRACE_DURATION, TRACE_END, TRACE_NAME, traceSql } from "../filter/trace-sql.ts"
import { candidatesSql, type ListScope, ofServiceSql, startedSql } from "./list-scope.ts"

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

/** Finds the window that the newest rows up to a time span. */
export function findWindowSql(scope: ListScope, upTo: bigint, size: WindowSize, sql: SqlBuilder): string {
  const ofService = ofServiceSql(scope.service, sql)
  const [rows, traces] = [sql.bind(size.rows, "UInt32"), sql.bind(size.traces, "UInt32")]
  return `SELECT toString(toUnixTimestamp64Nano(bottom)) AS lowest, isLast,
    length(seen) > ${MANY_TRACES} AS areMany,
    if(areMany, [], arrayMap(one -> one.1, arrayFilter(one -> isLast OR one.2 > bottom, seen))) AS traceIds
  FROM (
    SELECT arrayReverseSort(groupArray(began))[least(count(), ${traces})] AS bottom,
      sum(starts) < ${rows} AND count() < ${traces} AS isLast, groupArray((TraceId, latest)) AS seen
    FROM (
      SELECT TraceId, min(Timestamp) AS began, max(Timestamp) AS latest, count() AS starts FROM (
        SELECT Timestamp, TraceId FROM ${sql.from("pagespan_starts")}
        WHERE Timestamp >= ${sql.bindTime(scope.since)} AND Timestamp <= ${sql.bindTime(upTo)}${ofService}
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

export interface PageScope extends ListScope {
  readonly order: TraceOrder
  readonly after: ListPosition | undefined
  readonly limit: number
  /** The window of the page; `undefined` for all traces that began in the scope. */
  readonly window: (Window & { readonly isNewest: boolean }) | undefined
  /** The only traces that can match the filter, if they are known to be few: the page holds those of the window. */
  readonly among?: readonly string[] | undefined
}

/**
 * Sums up the traces of a page. With a filter, or without a window, there are many more traces than the page holds: a
 * subquery first selects those of the page, reading no more than filter and order need. A span that was stored twice counts
 * once (`uniqExact`); one that arrived by both protocols is one span with two sources. The root names the trace, or its
 * earliest span if there is no root.
 */
export function pageSql(scope: PageScope, sql: SqlBuilder): string {
  const { order } = scope
  const direction = order.isAscending ? "ASC" : "DESC"
  const value = orderValueSql(scope, sql)
  const sorted = `ORDER BY ${value} ${direction}, TraceId ${direction}`
  const limit = `LIMIT ${sql.bind(scope.limit, "UInt32")}`
  const conditions = [startedSql(scope, sql), windowSql(scope, sql), afterSql(scope, value, sql)]
  if (scope.filter !== undefined) conditions.push(traceSql(scope.filter, oldestSpan(scope), sql))
  const candidates = inWindowSql(scope, sql)
  const areMany = scope.filter !== undefined || scope.window === undefined
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

function windowSql({ window, among }: PageScope, sql: SqlBuilder): string {
  if (window === undefined) return ""
  const above = `min(Timestamp) > ${sql.bindTime(window.above)}`
  return among === undefined ? above : `${above} AND min(Timestamp) <= ${sql.bindTime(window.upTo)}`
}

function afterSql({ after, order }: PageScope, orderValue: string, sql: SqlBuilder): string {
  if (after === undefined) return ""
  const position = `(${sql.bind(after.value, "Int64")}, ${sql.bind(after.id)})`
  return `(toInt64(${orderValue}), TraceId) ${order.isAscending ? ">" : "<"} ${position}`
}

/** Traces with a row in the window, some of which began before it. A service may join a trace after the window's end. */
function inWindowSql(scope: PageScope, sql: SqlBuilder): string {
  const { window, service, among } = scope
  if (among !== undefined) return `TraceId IN ${sql.bind(among, "Array(String)")}`
  if (window === undefined) return candidatesSql(scope, sql)
  const starts = `SELECT TraceId FROM ${sql.from("pagespan_starts")} WHERE`
  const above = `Timestamp > ${sql.bindTime(window.above)}`
  const inWindow = `${starts} ${above} AND Timestamp <= ${sql.bindTime(window.upTo)}`
  if (service === undefined) return `TraceId IN (${inWindow})`
  const joined = `${starts} ${above}${ofServiceSql(service, sql)}`
  return window.isNewest ? `TraceId IN (${joined})` : `TraceId IN (${inWindow} AND TraceId IN (${joined}))`
}
