import type { SpansOfTrace, View, ViewSample } from "../../../queries/budgets/budget-reader.ts"
import type { ActivityScope } from "../../../queries/list/trace-reader.ts"
import { VITAL_SPAN_PREFIX } from "../../../queries/trace/trace-outline.ts"
import { countTraces, fittingTracesSql } from "../compare/sample-traces.ts"
import { type ReadContext, readLimits, SqlBuilder } from "../context.ts"
import { listScope } from "../traces/list-scope.ts"

/** One trace, its columns as texts: rows of JSON would take the app's process longer to parse. */
interface TraceRow {
  readonly traceId: string
  readonly ids: string
  readonly parents: string
  readonly names: readonly string[]
  /** A digit for each span. */
  readonly requests: string
  readonly servers: string
  readonly bytes: string
}

const IS_REQUEST = `(SpanKind IN ('Client', 'SPAN_KIND_CLIENT')
    AND (SpanAttributes['http.request.method'] != '' OR SpanAttributes['http.method'] != ''))
  OR startsWith(SpanAttributes['sentry.op'], 'resource.')`
const IS_SERVER = "SpanKind IN ('Server', 'Consumer', 'SPAN_KIND_SERVER', 'SPAN_KIND_CONSUMER')"
/** With headers where the data has them, else of the body; the last name is that of older conventions. */
const BYTES = `toUInt64OrZero(multiIf(SpanAttributes['http.response.size'] != '', SpanAttributes['http.response.size'],
  SpanAttributes['http.response.body.size'] != '', SpanAttributes['http.response.body.size'],
  SpanAttributes['http.response_content_length']))`

/** The spans of a sample of whole traces, and which of them are page loads, navigations and requests. */
export async function sampleViews(context: ReadContext, query: ActivityScope, limit: number): Promise<ViewSample> {
  const { since } = listScope(query, context.oldest)
  const limits = readLimits({ seconds: 10, rows: limit })
  const [ofSpans, ofViews] = [new SqlBuilder(context), new SqlBuilder(context)]
  const [traces, sampled, views] = await Promise.all([
    countTraces(context, query),
    context.clickhouse.select<TraceRow>(
      `SELECT TraceId AS traceId, arrayStringConcat(groupArray(SpanId), ',') AS ids,
        arrayStringConcat(groupArray(ParentSpanId), ',') AS parents, groupArray(SpanName) AS names,
        arrayStringConcat(groupArray(if(isRequest, '1', '0'))) AS requests,
        arrayStringConcat(groupArray(if(isServer, '1', '0'))) AS servers,
        arrayStringConcat(groupArray(toString(bytes)), ',') AS bytes
      FROM (
        SELECT TraceId, SpanId, ParentSpanId, SpanName, ${IS_REQUEST} AS isRequest, ${IS_SERVER} AS isServer,
          if(isRequest, ${BYTES}, 0) AS bytes
        FROM ${ofSpans.from("otel_traces")}
        WHERE Timestamp >= ${ofSpans.bindTime(since)} AND TraceId IN (${fittingTracesSql(context, query, ofSpans, limit)})
          AND NOT startsWith(SpanName, '${VITAL_SPAN_PREFIX}')
        LIMIT 1 BY TraceId, SpanId, ServiceName
      ) GROUP BY traceId ${limits}`,
      ofSpans.parameters,
    ),
    context.clickhouse.select<View>(
      `SELECT TraceId AS traceId, SpanId AS spanId, toString(Route) AS route, toString(Measure) AS kind
      FROM ${ofViews.from("pagespan_routes")}
      WHERE Measure IN ('load', 'navigation', 'request') AND Timestamp >= ${ofViews.bindTime(since)}
        AND TraceId IN (${fittingTracesSql(context, query, ofViews, limit)})
      LIMIT 1 BY Measure, TraceId, SpanId LIMIT ${limit} ${limits}`,
      ofViews.parameters,
    ),
  ])
  return { traces, sampled: sampled.map(traceOf), views }
}

function traceOf({ traceId, ids, parents, names, requests, servers, bytes }: TraceRow): SpansOfTrace {
  return {
    traceId,
    ids: ids.split(","),
    parents: parents.split(","),
    names,
    isRequest: [...requests].map((sign) => sign === "1"),
    isServer: [...servers].map((sign) => sign === "1"),
    bytes: bytes.split(",").map(Number),
  }
}
