import type { LossRecord } from "../../model/loss.ts"
import type { ClickHouse } from "../clickhouse.ts"
import { toLossRow } from "../rows/loss-row.ts"
import { insertRows } from "./insert.ts"

export async function insertLosses(
  clickhouse: ClickHouse,
  losses: readonly LossRecord[],
  batchId: string,
): Promise<void> {
  const rows = losses.map((loss, position) => toLossRow(loss, batchId, position))
  await insertRows(clickhouse, { table: "pagespan_losses", batchId, rows })
}
