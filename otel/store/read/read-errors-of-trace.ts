import type { ErrorEvent } from "../../model/error-event.ts"
import type { TraceId } from "../../model/ids.ts"
import type { Nanoseconds } from "../../model/time.ts"
import type { ClickHouse } from "../clickhouse.ts"
import { ERROR_ROW_COLUMNS, type ErrorRow, toErrorEvent } from "../rows/error-row.ts"
import { readLimits } from "./limits.ts"

const ERROR_LIMIT = 50
const LIMITS = readLimits({ seconds: 10, rows: ERROR_LIMIT })

/** The errors of a trace by time, each once. */
export async function readErrorsOfTrace(
  clickhouse: ClickHouse,
  traceId: TraceId,
  oldest: Nanoseconds,
): Promise<readonly ErrorEvent[]> {
  const rows = await clickhouse.select<ErrorRow>(
    `SELECT ${ERROR_ROW_COLUMNS} FROM pagespan_errors
    WHERE TraceId = {traceId:String} AND Time >= fromUnixTimestamp64Nano({oldest:Int64})
    ORDER BY Time, EventId LIMIT 1 BY EventId LIMIT ${ERROR_LIMIT} ${LIMITS}`,
    { traceId, oldest: String(oldest) },
  )
  return rows.map(toErrorEvent)
}
