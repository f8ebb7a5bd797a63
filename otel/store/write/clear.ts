import type { ClickHouse } from "../clickhouse.ts"
import { AGEING_TABLES } from "../schema/migrations.ts"

/** Deletes every row that keeps records. Of the embedded store alone: on a server others may be reading and writing. */
export async function clearRecords(clickhouse: ClickHouse): Promise<boolean> {
  if (!clickhouse.embedded) return false
  for (const table of AGEING_TABLES.keys()) await clickhouse.run(`TRUNCATE TABLE ${table}`)
  return true
}
