import type { TraceId } from "../../../protocol/records/ids.ts"
import type { LogRecord } from "../../../protocol/records/log.ts"
import type { Nanoseconds } from "../../../protocol/records/time.ts"
import type { ClickHouse } from "../clickhouse.ts"
import { LOG_ROW_COLUMNS, type LogRow, toLogRecord } from "../rows/log-row.ts"
import { readLimits } from "./limits.ts"

/** Log records of a trace at most; the earliest ones. */
const LOG_LIMIT = 10_000
const LIMITS = readLimits({ seconds: 10, rows: LOG_LIMIT })

/** The log records of a trace by time, each once. */
export async function readTraceLogs(
  clickhouse: ClickHouse,
  traceId: TraceId,
  oldest: Nanoseconds,
): Promise<readonly LogRecord[]> {
  const rows = await clickhouse.select<LogRow>(
    `SELECT ${LOG_ROW_COLUMNS} FROM pagespan_logs
    WHERE TraceId = {traceId:String} AND Timestamp >= fromUnixTimestamp64Nano({oldest:Int64})
    ORDER BY Timestamp, LogId LIMIT 1 BY LogId LIMIT ${LOG_LIMIT} ${LIMITS}`,
    { traceId, oldest: String(oldest) },
  )
  return rows.map(toLogRecord)
}
