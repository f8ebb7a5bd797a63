import type { DropRecord } from "../../../protocol/records/drop.ts"
import type { Nanoseconds } from "../../../protocol/records/time.ts"
import type { ClickHouse } from "../clickhouse.ts"
import { DROP_ROW_COLUMNS, type DropRow, toDropRecord } from "../rows/drop-row.ts"
import { readLimits } from "./limits.ts"

const LIST_LIMIT = 10_000
const LIMITS = readLimits({ seconds: 10, rows: LIST_LIMIT })

/** The newest drops, newest first. */
export async function listDrops(
  clickhouse: ClickHouse,
  limit: number,
  oldest: Nanoseconds,
): Promise<readonly DropRecord[]> {
  const rows = await clickhouse.select<DropRow>(
    `SELECT ${DROP_ROW_COLUMNS} FROM pagespan_dropped
    WHERE Time >= fromUnixTimestamp64Nano({oldest:Int64})
    ORDER BY Time DESC, Batch, Position LIMIT 1 BY Batch, Position LIMIT {limit:UInt32} ${LIMITS}`,
    { oldest: String(oldest), limit: Math.min(Math.max(1, Math.trunc(limit)), LIST_LIMIT) },
  )
  return rows.map(toDropRecord)
}
