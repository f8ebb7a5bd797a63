import type { SpanId, TraceId } from "../../../../protocol/records/ids.ts"
import { nanoseconds, type Nanoseconds } from "../../../../protocol/records/time.ts"
import type { PathSpan } from "../../../queries/errors/error-reader.ts"
import type { BackLink } from "../../../queries/list/trace-reader.ts"
import type { PeerTrace, SpanPeers } from "../../../queries/trace/span-peers.ts"
import { fromNanosText } from "../../rows/stored-values.ts"
import { type ReadContext, readLimits } from "../context.ts"

/** What a span relates to: its ancestors, spans like it, and spans that link to it. */

/** Spans of the trace that a path is looked for in; a span beyond them has no path. */
const SPAN_LIMIT = 100_000
/** Spans of a path at most: the nearest. */
const DEPTH_LIMIT = 64
/** Spans that a duration is compared with, at most: the newest. More would hardly change the rank. */
const PEER_LIMIT = 100_000
const BACK_LINK_LIMIT = 50
const PATH_LIMITS = readLimits({ seconds: 10, rows: SPAN_LIMIT })
const PEER_LIMITS = readLimits({ seconds: 5, rows: 1_000 })
const BACK_LINK_LIMITS = readLimits({ seconds: 5, rows: 1_000 })

interface PathRow {
  readonly spanId: string
  readonly parent: string
  readonly name: string
  readonly service: string
  readonly start: string
  readonly duration: string
  readonly failed: boolean
}

/** The span and its ancestors, the root first. Reads few columns, and the seconds of the trace only. */
export async function readSpanPath(
  context: ReadContext,
  traceId: TraceId,
  spanId: SpanId,
): Promise<readonly PathSpan[]> {
  const times = context.from("otel_traces_trace_id_ts")
  const rows = await context.clickhouse.select<PathRow>(
    `SELECT SpanId AS spanId, ParentSpanId AS parent, SpanName AS name, ServiceName AS service,
      toString(toUnixTimestamp64Nano(Timestamp)) AS start, toString(Duration) AS duration, StatusCode = 'Error' AS failed
    FROM ${context.from("otel_traces")}
    WHERE TraceId = {traceId:String} AND Timestamp >= fromUnixTimestamp64Nano({oldest:Int64})
      AND Timestamp >= (SELECT toDateTime64(min(Start), 9) FROM ${times} WHERE TraceId = {traceId:String})
      AND Timestamp < (SELECT toDateTime64(max(End), 9) + INTERVAL 1 SECOND FROM ${times} WHERE TraceId = {traceId:String})
    LIMIT 1 BY SpanId LIMIT ${SPAN_LIMIT} ${PATH_LIMITS}`,
    { traceId, oldest: String(context.oldest) },
  )
  return pathTo(spanId, new Map(rows.map((row) => [row.spanId, row])))
}

/** Parents may form a cycle: the walk visits each span once. */
function pathTo(spanId: string, rows: Map<string, PathRow>): PathSpan[] {
  const path: PathSpan[] = []
  for (let row = rows.get(spanId); row !== undefined && path.length < DEPTH_LIMIT; row = rows.get(row.parent)) {
    rows.delete(row.spanId)
    const { name, service, failed } = row
    path.unshift({
      spanId: row.spanId,
      name,
      service,
      startTime: fromNanosText(row.start),
      duration: nanoseconds(BigInt(row.duration)),
      failed: Boolean(failed),
    })
  }
  return path
}

interface PeersRow {
  readonly count: string
  readonly below: string
  readonly p50: string
  readonly p95: string
  readonly slowest: string
}

/** How a duration compares with those of the spans of the same service and name. */
export async function readPeers(
  context: ReadContext,
  like: { readonly service: string; readonly name: string; readonly duration: Nanoseconds },
): Promise<SpanPeers> {
  const [row] = await context.clickhouse.select<PeersRow>(
    `SELECT toString(count()) AS count, toString(countIf(Duration < {duration:UInt64})) AS below,
      toString(toUInt64(ifNotFinite(quantileExact(0.5)(Duration), 0))) AS p50,
      toString(toUInt64(ifNotFinite(quantileExact(0.95)(Duration), 0))) AS p95, toString(max(Duration)) AS slowest
    FROM (
      SELECT Duration FROM otel_traces
      WHERE ServiceName = {service:String} AND SpanName = {name:String}
        AND Timestamp >= fromUnixTimestamp64Nano({oldest:Int64})
      ORDER BY Timestamp DESC LIMIT 1 BY TraceId, SpanId LIMIT ${PEER_LIMIT}
    ) ${PEER_LIMITS}`,
    { service: like.service, name: like.name, duration: String(like.duration), oldest: String(context.oldest) },
  )
  return {
    count: Number(row?.count ?? 0),
    below: Number(row?.below ?? 0),
    p50: fromNanosText(row?.p50 ?? "0"),
    p95: fromNanosText(row?.p95 ?? "0"),
    slowest: fromNanosText(row?.slowest ?? "0"),
    isCapped: Number(row?.count ?? 0) >= PEER_LIMIT,
  }
}

/** The newest other traces whose root has the same service and name, for a comparison. */
export async function listPeerTraces(
  context: ReadContext,
  like: { readonly service: string; readonly name: string; readonly except: TraceId },
  limit: number,
): Promise<readonly PeerTrace[]> {
  const rows = await context.clickhouse.select<{ traceId: string; start: string; duration: string }>(
    `SELECT TraceId AS traceId, toString(toUnixTimestamp64Nano(Timestamp)) AS start, toString(Duration) AS duration
    FROM otel_traces
    WHERE ServiceName = {service:String} AND SpanName = {name:String} AND ParentSpanId = '' AND TraceId != {except:String}
      AND Timestamp >= fromUnixTimestamp64Nano({oldest:Int64})
    ORDER BY Timestamp DESC LIMIT 1 BY TraceId LIMIT {limit:UInt32} ${PEER_LIMITS}`,
    {
      service: like.service,
      name: like.name,
      except: like.except,
      oldest: String(context.oldest),
      limit: Math.min(limit, 1_000),
    },
  )
  return rows.map(({ traceId, start, duration }) => ({
    traceId: traceId as TraceId,
    startTime: fromNanosText(start),
    duration: nanoseconds(fromNanosText(duration)),
  }))
}

/**
 * Spans that link to a span. Only the linking span holds an OpenTelemetry link, and no index finds it; but the column is
 * empty for nearly all spans, so a full read is fast.
 */
export async function readBackLinks(
  context: ReadContext,
  traceId: TraceId,
  spanId: SpanId,
): Promise<readonly BackLink[]> {
  return context.clickhouse.select<BackLink>(
    `SELECT TraceId AS traceId, SpanId AS spanId, SpanName AS name, ServiceName AS service
    FROM otel_traces
    WHERE Timestamp >= fromUnixTimestamp64Nano({oldest:Int64}) AND notEmpty(Links.SpanId)
      AND arrayExists((t, s) -> t = {traceId:String} AND s = {spanId:String}, Links.TraceId, Links.SpanId)
    ORDER BY Timestamp DESC LIMIT 1 BY TraceId, SpanId LIMIT ${BACK_LINK_LIMIT} ${BACK_LINK_LIMITS}`,
    { traceId, spanId, oldest: String(context.oldest) },
  )
}
