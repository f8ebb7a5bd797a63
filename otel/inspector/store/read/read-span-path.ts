import type { SpanId, TraceId } from "../../../protocol/records/ids.ts"
import { nanoseconds, type Nanoseconds } from "../../../protocol/records/time.ts"
import type { PathSpan } from "../../queries/errors/error-reader.ts"
import type { ClickHouse } from "../clickhouse.ts"
import { fromNanosText } from "../rows/timestamp.ts"
import { readLimits } from "./limits.ts"

/** Spans of the trace that are looked at; a span beyond them has no path. */
const SPAN_LIMIT = 100_000
/** A deeper span is shown without those that are furthest away. */
const DEPTH_LIMIT = 64
const LIMITS = readLimits({ seconds: 10, rows: SPAN_LIMIT })

interface Row {
  readonly spanId: string
  readonly parent: string
  readonly name: string
  readonly service: string
  readonly start: string
  readonly duration: string
  readonly failed: boolean
}

/** The few columns that a place in the tree takes, of the seconds in which the trace was. */
export async function readSpanPath(
  clickhouse: ClickHouse,
  traceId: TraceId,
  spanId: SpanId,
  oldest: Nanoseconds,
): Promise<readonly PathSpan[]> {
  const rows = await clickhouse.select<Row>(
    `SELECT SpanId AS spanId, ParentSpanId AS parent, SpanName AS name, ServiceName AS service,
      toString(toUnixTimestamp64Nano(Timestamp)) AS start, toString(Duration) AS duration, StatusCode = 'Error' AS failed
    FROM otel_traces
    WHERE TraceId = {traceId:String} AND Timestamp >= fromUnixTimestamp64Nano({oldest:Int64})
      AND Timestamp >= (SELECT toDateTime64(min(Start), 9) FROM otel_traces_trace_id_ts WHERE TraceId = {traceId:String})
      AND Timestamp < (SELECT toDateTime64(max(End), 9) + INTERVAL 1 SECOND FROM otel_traces_trace_id_ts WHERE TraceId = {traceId:String})
    LIMIT 1 BY SpanId LIMIT ${SPAN_LIMIT} ${LIMITS}`,
    { traceId, oldest: String(oldest) },
  )
  return pathTo(spanId, new Map(rows.map((row) => [row.spanId, row])))
}

/** Spans can name each other in a circle: each is passed once. */
function pathTo(spanId: string, rows: Map<string, Row>): PathSpan[] {
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
