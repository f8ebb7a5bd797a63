import type { LossRecord } from "../../model/loss.ts"
import type { Nanoseconds } from "../../model/time.ts"
import type { ClickHouse } from "../clickhouse.ts"
import { LOSS_ROW_COLUMNS, type LossRow, toLossRecord } from "../rows/loss-row.ts"
import { readLimits } from "./limits.ts"

const LIST_LIMIT = 10_000
const LIMITS = readLimits({ seconds: 10, rows: LIST_LIMIT })

/** The newest losses, newest first. */
export async function listLosses(
  clickhouse: ClickHouse,
  limit: number,
  oldest: Nanoseconds,
): Promise<readonly LossRecord[]> {
  const rows = await clickhouse.select<LossRow>(
    `SELECT ${LOSS_ROW_COLUMNS} FROM pagespan_losses
    WHERE Time >= fromUnixTimestamp64Nano({oldest:Int64})
    ORDER BY Time DESC, Batch, Position LIMIT 1 BY Batch, Position LIMIT {limit:UInt32} ${LIMITS}`,
    { oldest: String(oldest), limit: Math.min(Math.max(1, Math.trunc(limit)), LIST_LIMIT) },
  )
  return rows.map(toLossRecord)
}
