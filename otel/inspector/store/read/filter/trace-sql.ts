import { type FilterTree, isDenial, isGroup, type Range, type SpanLeaf, type TraceTest } from "../../../search/tree.ts"
import type { Bindings } from "./bindings.ts"
import { spanSql, tableFor } from "./span-sql.ts"
import { rangeSql, textSql } from "./value-sql.ts"

/** What a trace is called: its root's name, or that of its earliest span. */
export const TRACE_NAME = "argMin(SpanName, (NOT IsRoot, Timestamp, SpanId))"
/** Nanoseconds from its earliest start to its latest end. */
export const TRACE_DURATION =
  "max(toUnixTimestamp64Nano(Timestamp) + Duration) - toUInt64(min(toUnixTimestamp64Nano(Timestamp)))"

/**
 * A filter as a condition on the spans of a trace, for a `HAVING` over `pagespan_spans` grouped by `TraceId`.
 * `oldest` bounds what is read of the collector's table: no trace that is asked for has a span before it.
 */
export function traceSql(tree: FilterTree, oldest: bigint, bindings: Bindings): string {
  if (isGroup(tree))
    return `(${tree.nodes.map((node) => traceSql(node, oldest, bindings)).join(tree.is === "and" ? " AND " : " OR ")})`
  if (isDenial(tree)) return `NOT (${traceSql(tree.node, oldest, bindings)})`
  return `(${tree.is === "some span" ? someSpanSql(tree, oldest, bindings) : testSql(tree, bindings)})`
}

function someSpanSql({ where }: SpanLeaf, oldest: bigint, bindings: Bindings): string {
  const table = tableFor(where)
  if (table === "pagespan_spans") return `max(${spanSql(where, table, bindings)})`
  return `TraceId IN (${spanTraces(where, oldest, bindings)})`
}

/** Ids of the traces with such a span. */
function spanTraces(where: SpanLeaf["where"], oldest: bigint, bindings: Bindings): string {
  const since = bindings.bind(oldest, "Int64")
  return `SELECT TraceId FROM otel_traces
    WHERE Timestamp >= fromUnixTimestamp64Nano(${since}) AND ${spanSql(where, "otel_traces", bindings)}`
}

function testSql(test: TraceTest, bindings: Bindings): string {
  switch (test.is) {
    case "trace name":
      return textSql(test.text, TRACE_NAME, bindings)
    case "trace duration":
      return rangeSql(test.range, `(${TRACE_DURATION})`, bindings)
    case "span count":
      return rangeSql(test.range, "uniqExact(SpanId)", bindings)
    case "error count":
      return errorCountSql(test.range, bindings)
    case "sources":
      return test.all.map((source) => `max(Source = ${bindings.bind(source)})`).join(" AND ")
    case "started":
      return rangeSql(startRange(test), "toUInt64(min(toUnixTimestamp64Nano(Timestamp)))", bindings)
  }
}

/** Whether there is any is asked most, and needs no counting. */
function errorCountSql(range: Range<number>, bindings: Bindings): string {
  if (range.from === 1 && range.to === undefined && !range.fromExcluded) return "max(IsError)"
  if (range.to === 0 && range.from === undefined && !range.toExcluded) return "NOT max(IsError)"
  return rangeSql(range, "uniqExactIf(SpanId, IsError)", bindings)
}

function startRange({ from, to }: TraceTest & { is: "started" }): Range<bigint> {
  return { from, ...(to !== undefined && { to, toExcluded: true }) }
}
