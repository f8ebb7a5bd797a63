import { spansOfSamePages, traceTree } from "../../../queries/routes/pages-of-trace.ts"
import type { RouteChild } from "../../../queries/routes/route-reader.ts"
import { VITAL_SPAN_PREFIX } from "../../../queries/trace/trace-outline.ts"
import type { Parameters } from "../../clickhouse.ts"
import { type ReadContext, readLimits } from "../context.ts"
import { OF_KIND, OF_PAGES } from "./route-sql.ts"

/** The latest traces of a route whose spans count as its children. */
const TRACES = 200
/** Rows that these traces come from: a trace may have several rows of one route. */
const ROWS = 1_000
const CHILDREN = 20
/** Spans that are read of traces of several pages. Their ids become one parameter, of which ClickHouse accepts 256 KiB. */
const SHARED_SPANS = 10_000
/** By how much pages of one trace are apart at most. */
const APART = "INTERVAL 1 HOUR"
const LIMITS = readLimits({ seconds: 10, rows: SHARED_SPANS })

/** A trace with spans of the route. */
interface TraceOfRoute {
  readonly traceId: string
  readonly spanIds: readonly string[]
  readonly time: string
}

/**
 * Spans of the latest traces, the most frequent first: without the route's own, and without web vitals, which are marks. Of a trace
 * of several pages, such as that of a test, those that belong to the page of the route.
 */
export async function readChildren(
  context: ReadContext,
  parameters: Parameters,
): Promise<{ children: RouteChild[]; childrenOf: number }> {
  const latest = await context.clickhouse.select<TraceOfRoute>(
    `SELECT TraceId AS traceId, groupUniqArray(100)(SpanId) AS spanIds, toString(toUnixTimestamp64Nano(max(Timestamp))) AS time
    FROM (
      SELECT Timestamp, TraceId, SpanId FROM pagespan_routes WHERE ${OF_KIND} ORDER BY Timestamp DESC LIMIT ${ROWS}
    ) GROUP BY TraceId ORDER BY max(Timestamp) DESC LIMIT ${TRACES} ${LIMITS}`,
    parameters,
  )
  // Together, because mostly no trace has several pages.
  const [shared, all] = await Promise.all([readSharedTraces(context, latest), countSpans(context, latest)])
  if (shared.size === 0) return { children: all, childrenOf: latest.length }
  const own = await readOwnSpans(context, latest, shared)
  const counted = latest.filter(({ traceId }) => !shared.has(traceId) || own.has(traceId))
  return { children: await countSpans(context, counted, own), childrenOf: counted.length }
}

/** @param own ids of the spans that count, by trace of several pages. Default: there is no such trace. */
function countSpans(
  context: ReadContext,
  counted: readonly TraceOfRoute[],
  own: ReadonlyMap<string, readonly string[]> = new Map(),
): Promise<RouteChild[]> {
  return context.clickhouse.select<RouteChild>(
    `SELECT name, service, toUInt32(uniqExact(SpanId)) AS count,
      toUInt32(uniqExact(TraceId)) AS traces, quantileExact(0.5)(length) / 1000000 AS p50,
      sum(length) / 1000000 AS total
    FROM (
      SELECT TraceId, SpanId, any(SpanName) AS name, any(ServiceName) AS service, max(Duration) AS length
      FROM pagespan_spans WHERE TraceId IN {traces:Array(String)} AND SpanId NOT IN {roots:Array(String)}
        AND NOT startsWith(SpanName, '${VITAL_SPAN_PREFIX}')${own.size > 0 ? ` AND ${OF_OWN_PAGE}` : ""}
      GROUP BY TraceId, SpanId
    ) GROUP BY name, service ORDER BY count DESC, name LIMIT ${CHILDREN} ${LIMITS}`,
    {
      traces: counted.map(({ traceId }) => traceId),
      roots: counted.flatMap(({ spanIds }) => spanIds),
      ...(own.size > 0 && { shared: [...own.keys()], own: [...own.values()].flat() }),
    },
  )
}

const OF_OWN_PAGE = "(TraceId NOT IN {shared:Array(String)} OR SpanId IN {own:Array(String)})"

/** Ids of the pages, by trace of several pages, of the traces of a route. */
async function readSharedTraces(
  context: ReadContext,
  latest: readonly TraceOfRoute[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await context.clickhouse.select<{ traceId: string; pages: readonly string[] }>(
    `SELECT TraceId AS traceId, groupUniqArray(${SHARED_SPANS})(SpanId) AS pages FROM pagespan_routes
    WHERE ${OF_PAGES} AND Timestamp >= fromUnixTimestamp64Nano({first:Int64}) - ${APART}
      AND Timestamp <= fromUnixTimestamp64Nano({last:Int64}) + ${APART} AND TraceId IN {traces:Array(String)}
    GROUP BY TraceId HAVING min(SpanId) != max(SpanId) ${LIMITS}`,
    {
      traces: latest.map(({ traceId }) => traceId),
      first: latest.at(-1)?.time ?? "0",
      last: latest[0]?.time ?? "0",
    },
  )
  return new Map(rows.map(({ traceId, pages }) => [traceId, pages]))
}

/**
 * Ids of the spans that belong to the page of the route, by trace of several pages: whole traces, the latest first, as many as the
 * limit has room for.
 */
async function readOwnSpans(
  context: ReadContext,
  latest: readonly TraceOfRoute[],
  shared: ReadonlyMap<string, readonly string[]>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const sizes = await context.clickhouse.select<{ traceId: string; spans: number; first: string; last: string }>(
    `SELECT TraceId AS traceId, toUInt32(uniqExact(SpanId)) AS spans,
      toString(toUnixTimestamp64Nano(min(Timestamp))) AS first, toString(toUnixTimestamp64Nano(max(Timestamp))) AS last
    FROM pagespan_spans WHERE TraceId IN {traces:Array(String)} GROUP BY TraceId ${LIMITS}`,
    { traces: [...shared.keys()] },
  )
  const sizeOf = new Map(sizes.map((size) => [size.traceId, size]))
  let room = SHARED_SPANS
  const fitting = latest.flatMap(({ traceId }) => {
    const size = shared.has(traceId) ? sizeOf.get(traceId) : undefined
    if (size === undefined || size.spans > room) return []
    room -= size.spans
    return [size]
  })
  if (fitting.length === 0) return new Map()
  const trees = await context.clickhouse.select<{ traceId: string; ids: string; parents: string }>(
    `SELECT TraceId AS traceId, arrayStringConcat(groupArray(SpanId), ',') AS ids,
      arrayStringConcat(groupArray(ParentSpanId), ',') AS parents
    FROM (
      SELECT TraceId, SpanId, ParentSpanId FROM otel_traces
      WHERE Timestamp >= fromUnixTimestamp64Nano({first:Int64}) AND Timestamp <= fromUnixTimestamp64Nano({last:Int64})
        AND TraceId IN {traces:Array(String)}
      LIMIT 1 BY TraceId, SpanId
    ) GROUP BY traceId ${LIMITS}`,
    {
      traces: fitting.map(({ traceId }) => traceId),
      first: String(fitting.map(({ first }) => BigInt(first)).reduce((a, b) => (a < b ? a : b))),
      last: String(fitting.map(({ last }) => BigInt(last)).reduce((a, b) => (a > b ? a : b))),
    },
  )
  const spanIdsOf = new Map(latest.map(({ traceId, spanIds }) => [traceId, spanIds]))
  return new Map(
    trees.map(({ traceId, ids, parents }) => {
      const tree = traceTree({ ids: ids.split(","), parents: parents.split(",") }, shared.get(traceId) ?? [])
      return [traceId, spansOfSamePages(tree, spanIdsOf.get(traceId) ?? [])]
    }),
  )
}
