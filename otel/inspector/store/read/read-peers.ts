import type { TraceId } from "../../../protocol/records/ids.ts"
import { nanoseconds, type Nanoseconds } from "../../../protocol/records/time.ts"
import type { PeerTrace, SpanPeers } from "../../queries/trace/span-peers.ts"
import type { ClickHouse } from "../clickhouse.ts"
import { fromNanosText } from "../rows/timestamp.ts"
import { readLimits } from "./limits.ts"

/** Spans like a given one that its duration is compared with: the newest. More would be read in vain, the rank hardly moves. */
const PEER_LIMIT = 100_000
const LIMITS = readLimits({ seconds: 5, rows: 1_000 })

interface PeersRow {
  readonly count: string
  readonly below: string
  readonly p50: string
  readonly p95: string
  readonly slowest: string
}

/** How a duration compares with those of the spans of the same service and name. */
export async function readPeers(
  clickhouse: ClickHouse,
  like: { readonly service: string; readonly name: string; readonly duration: Nanoseconds },
  oldest: Nanoseconds,
): Promise<SpanPeers> {
  const [row] = await clickhouse.select<PeersRow>(
    `SELECT toString(count()) AS count, toString(countIf(Duration < {duration:UInt64})) AS below,
      toString(toUInt64(ifNotFinite(quantileExact(0.5)(Duration), 0))) AS p50,
      toString(toUInt64(ifNotFinite(quantileExact(0.95)(Duration), 0))) AS p95, toString(max(Duration)) AS slowest
    FROM (
      SELECT Duration FROM otel_traces
      WHERE ServiceName = {service:String} AND SpanName = {name:String}
        AND Timestamp >= fromUnixTimestamp64Nano({oldest:Int64})
      ORDER BY Timestamp DESC LIMIT 1 BY TraceId, SpanId LIMIT ${PEER_LIMIT}
    ) ${LIMITS}`,
    { service: like.service, name: like.name, duration: String(like.duration), oldest: String(oldest) },
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

/** The newest other traces that begin with a span of the same service and name, for comparing. */
export async function listPeerTraces(
  clickhouse: ClickHouse,
  like: { readonly service: string; readonly name: string; readonly except: TraceId },
  limit: number,
  oldest: Nanoseconds,
): Promise<readonly PeerTrace[]> {
  const rows = await clickhouse.select<{ traceId: string; start: string; duration: string }>(
    `SELECT TraceId AS traceId, toString(toUnixTimestamp64Nano(Timestamp)) AS start, toString(Duration) AS duration
    FROM otel_traces
    WHERE ServiceName = {service:String} AND SpanName = {name:String} AND ParentSpanId = '' AND TraceId != {except:String}
      AND Timestamp >= fromUnixTimestamp64Nano({oldest:Int64})
    ORDER BY Timestamp DESC LIMIT 1 BY TraceId LIMIT {limit:UInt32} ${LIMITS}`,
    {
      service: like.service,
      name: like.name,
      except: like.except,
      oldest: String(oldest),
      limit: Math.min(limit, 1_000),
    },
  )
  return rows.map(({ traceId, start, duration }) => ({
    traceId: traceId as TraceId,
    startTime: fromNanosText(start),
    duration: nanoseconds(fromNanosText(duration)),
  }))
}
