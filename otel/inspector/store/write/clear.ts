import type { ClickHouse } from "../clickhouse.ts"
import { RETAINED_COPIES, RETAINED_TABLES } from "../retained/retained-tables.ts"
import { AGEING_TABLES } from "../schema/migrations.ts"

/** Deletes every row that keeps records. Of the embedded store alone: on a server others may be reading and writing. */
export async function clearRecords(clickhouse: ClickHouse): Promise<boolean> {
  if (!clickhouse.endpoint.embedded) return false
  const kept = [...RETAINED_TABLES.map((table) => table.kept), RETAINED_COPIES]
  for (const table of [...AGEING_TABLES.keys(), ...kept]) await clickhouse.run(`TRUNCATE TABLE ${table}`)
  return true
}
