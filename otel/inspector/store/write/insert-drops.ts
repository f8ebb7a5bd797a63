import type { DropRecord } from "../../../protocol/records/drop.ts"
import type { ClickHouse } from "../clickhouse.ts"
import { toDropRow } from "../rows/drop-row.ts"
import { insertRows } from "./insert.ts"

export async function insertDrops(
  clickhouse: ClickHouse,
  drops: readonly DropRecord[],
  batchId: string,
): Promise<void> {
  const rows = drops.map((drop, position) => toDropRow(drop, batchId, position))
  await insertRows(clickhouse, { table: "pagespan_dropped", batchId, rows })
}
