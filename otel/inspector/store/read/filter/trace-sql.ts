import { PROXY_RUN_NAME } from "../../../../protocol/proxy-run.ts"
import { VITAL_SPAN_PREFIX } from "../../../queries/trace/trace-outline.ts"
import {
  type FilterTree,
  isDenial,
  isGroup,
  type Range,
  type SpanLeaf,
  type SpanTree,
  type TraceTest,
} from "../../../search/tree.ts"
import { isWithin } from "../../../search/match.ts"
import type { SqlBuilder } from "../context.ts"
import { spanSql, tableFor } from "./span-sql.ts"
import { rangeSql, textSql } from "./value-sql.ts"

/**
 * The first span in this order names the trace: its root, or its earliest span, and the run of a proxy if there is nothing else. One that
 * both protocols sent is named as in OTLP.
 */
export const HEAD_ORDER = `(match(SpanName, '${PROXY_RUN_NAME.source}'), NOT IsRoot, Timestamp, SpanId, Source)`
export const TRACE_NAME = `argMin(SpanName, ${HEAD_ORDER})`
const TRACE_START = "toUInt64(min(toUnixTimestamp64Nano(Timestamp)))"
/**
 * The latest end of a span, in nanoseconds since the epoch. A web vital often settles when the visitor leaves, long after the
 * trace: it does not count. `summariseSpans` and the waterfall have the same rule.
 */
export const TRACE_END = `greatest(toUInt64(maxIf(toUnixTimestamp64Nano(Timestamp) + Duration, NOT startsWith(SpanName, '${VITAL_SPAN_PREFIX}'))), ${TRACE_START})`
const HAS_FAILED = "max(IsError)"
const FAILED_SPANS = "uniqExactIf(SpanId, IsError)"
/** An error that was stored twice is one. */
const ERRORS_OF_TRACE = "uniqExact(EventId)"
/** Nanoseconds by which an error may be earlier than its trace: a browser's clock differs from a server's. */
export const BEFORE_TRACE = 3_600_000_000_000n
/** Nanoseconds from the earliest start to the latest end. */
export const TRACE_DURATION = `${TRACE_END} - ${TRACE_START}`

/**
 * A filter as a condition on the spans of a trace, for a `HAVING` over `pagespan_spans` grouped by `TraceId`.
 * `oldest` limits the query of the collector's table: no trace of the scope has a span before it.
 */
export function traceSql(tree: FilterTree, oldest: bigint, sql: SqlBuilder): string {
  if (isGroup(tree))
    return `(${tree.nodes.map((node) => traceSql(node, oldest, sql)).join(tree.is === "and" ? " AND " : " OR ")})`
  if (isDenial(tree)) return `NOT (${traceSql(tree.node, oldest, sql)})`
  if (tree.is === "some span") return `(${someSpanSql(tree, oldest, sql)})`
  return `(${testSql(tree, oldest, sql)})`
}

function someSpanSql({ where }: SpanLeaf, oldest: bigint, sql: SqlBuilder): string {
  const table = tableFor(where)
  return table === "pagespan_spans" ? `max(${spanSql(where, table, sql)})` : ofTracesWithSql(where, oldest, sql)
}

/** Whether a row is of a trace with such a span, by a lookup in the collector's table, for a `WHERE` or a `HAVING`. */
export function ofTracesWithSql(where: SpanTree, oldest: bigint, sql: SqlBuilder): string {
  return `TraceId IN (SELECT TraceId FROM ${sql.from("otel_traces")}
    WHERE Timestamp >= ${sql.bindTime(oldest)} AND ${spanSql(where, "otel_traces", sql)})`
}

/**
 * The columns of the trace list do not have parents. Ids are compared by a hash of 64 bits: that one of ten million missing
 * parents is overlooked has a probability below one in a hundred thousand. Only spans that are a parent's are kept to
 * compare: all spans would take more memory than the embedded engine has, at ten million.
 */
function missingParentSql(oldest: bigint, sql: SqlBuilder): string {
  const spans = `FROM ${sql.from("otel_traces")} WHERE Timestamp >= ${sql.bindTime(oldest)}`
  const parents = `SELECT cityHash64(TraceId, ParentSpanId) ${spans} AND ParentSpanId != ''`
  const present = `SELECT cityHash64(TraceId, SpanId) AS parent ${spans} AND parent IN (${parents})`
  return `TraceId IN (SELECT TraceId ${spans} AND ParentSpanId != ''
    AND cityHash64(TraceId, ParentSpanId) NOT IN (${present}))`
}

function testSql(test: TraceTest, oldest: bigint, sql: SqlBuilder): string {
  switch (test.is) {
    case "missing parent":
      return missingParentSql(oldest, sql)
    case "trace name":
      return textSql(test.text, TRACE_NAME, sql)
    case "trace duration":
      return rangeSql(test.range, `(${TRACE_DURATION})`, sql)
    case "span count":
      return rangeSql(test.range, "uniqExact(SpanId)", sql)
    case "failed":
      return HAS_FAILED
    case "error count":
      return `if(${HAS_FAILED}, ${rangeSql(test.range, FAILED_SPANS, sql)}, ${reportedErrorsSql(test.range, oldest, sql)})`
    case "missing root":
      return "NOT max(IsRoot)"
    case "sources":
      return test.all.map((source) => `max(Source = ${sql.bind(source)})`).join(" AND ")
    case "started":
      return rangeSql(startRange(test), "toUInt64(min(toUnixTimestamp64Nano(Timestamp)))", sql)
  }
}

/** On the errors that were reported in the trace, which are none where it is not among the traces of any. */
function reportedErrorsSql(range: Range<number>, oldest: bigint, sql: SqlBuilder): string {
  const inRange = `(${rangeSql(range, ERRORS_OF_TRACE, sql)})`
  const traces = (having: string) => `(SELECT TraceId ${errorsByTraceSql(oldest, sql)} HAVING ${having})`
  return isWithin(range, 0) ? `TraceId NOT IN ${traces(`NOT ${inRange}`)}` : `TraceId IN ${traces(inRange)}`
}

/** The number of errors of a trace as a row of the list shows it, for an `ORDER BY` of the traces that began since `oldest`. */
export function errorCountSql(oldest: bigint, sql: SqlBuilder): string {
  const counts = `SELECT TraceId, ${ERRORS_OF_TRACE} AS errors ${errorsByTraceSql(oldest, sql)}`
  // Of what was read once, both lists have the same order.
  const reported = `(SELECT (groupArray(TraceId), groupArray(errors)) FROM (${counts} ORDER BY TraceId))`
  return `if(${HAS_FAILED}, ${FAILED_SPANS}, transform(TraceId, tupleElement(${reported}, 1), tupleElement(${reported}, 2), toUInt64(0)))`
}

function errorsByTraceSql(oldest: bigint, sql: SqlBuilder): string {
  const since = sql.bindTime(oldest > BEFORE_TRACE ? oldest - BEFORE_TRACE : 0n)
  return `FROM ${sql.from("pagespan_errors")} WHERE TraceId != '' AND Time >= ${since} GROUP BY TraceId`
}

function startRange({ from, to }: TraceTest & { is: "started" }): Range<bigint> {
  return { from, ...(to !== undefined && { to, toExcluded: true }) }
}
