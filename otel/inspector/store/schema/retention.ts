import type { ClickHouse } from "../clickhouse.ts"
import { type SchemaContext, ttl } from "./context.ts"
import { AGEING_TABLES } from "./migrations.ts"

/** Gives those of the given tables another age at which rows go whose age is not the configured one. */
export async function applyRetention(
  clickhouse: ClickHouse,
  ours: ReadonlySet<string>,
  context: SchemaContext,
): Promise<void> {
  const tables = await clickhouse.select<{ name: string; ddl: string }>(
    "SELECT name, create_table_query AS ddl FROM system.tables WHERE database = currentDatabase()",
  )
  for (const { name, ddl } of tables) {
    const time = AGEING_TABLES.get(name)
    if (time === undefined || !ours.has(name)) continue
    const wanted = ttl(time, context)
    if (!ddl.includes(`TTL ${wanted} `)) await clickhouse.run(`ALTER TABLE ${name} MODIFY TTL ${wanted}`)
  }
}
