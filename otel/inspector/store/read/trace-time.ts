import type { TraceId } from "../../../protocol/records/ids.ts"
import type { Nanoseconds } from "../../../protocol/records/time.ts"
import type { ClickHouse, Parameters } from "../clickhouse.ts"
import { readLimits } from "./limits.ts"

const LIMITS = readLimits({ seconds: 20, rows: 1 })

/** Condition that holds for the rows of one trace, reading its seconds alone. Its parameters come from `readTraceTime`. */
export const IN_TRACE = `TraceId = {traceId:String}
  AND Timestamp >= greatest(toDateTime64({first:UInt32}, 9), fromUnixTimestamp64Nano({oldest:Int64}))
  AND Timestamp < toDateTime64({last:UInt32}, 9) + INTERVAL 1 SECOND`

/** Parameters of `IN_TRACE`, or `undefined` when nothing of the trace is stored. `first` is its first second. */
export async function readTraceTime(
  clickhouse: ClickHouse,
  traceId: TraceId,
  oldest: Nanoseconds,
): Promise<(Parameters & { readonly first: string }) | undefined> {
  const [row] = await clickhouse.select<{ found: number; first: string; last: string }>(
    `SELECT toUInt8(count() > 0) AS found, toString(toUnixTimestamp(min(Start))) AS first,
      toString(toUnixTimestamp(max(End))) AS last
    FROM otel_traces_trace_id_ts WHERE TraceId = {traceId:String} ${LIMITS}`,
    { traceId },
  )
  return row?.found ? { traceId, first: row.first, last: row.last, oldest: String(oldest) } : undefined
}
