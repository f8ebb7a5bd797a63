import type { ClickHouse } from "../clickhouse.ts"
import type { SchemaContext } from "./context.ts"
import { MIGRATIONS, NEWEST_VERSION } from "./migrations.ts"

/**
 * Brings the schema forward to what this version knows, and records each step in `pagespan_migrations` with the
 * tables that it made: those are ours to alter. A table that was there before, like a collector's, never is.
 * Data of a newer version is refused before anything is written.
 */

const RECORD = `CREATE TABLE IF NOT EXISTS pagespan_migrations (
  Version UInt32, Title String, Made Array(String), AppliedAt DateTime64(3) DEFAULT now64(3)
) ENGINE = MergeTree ORDER BY Version`

export class NewerData extends Error {
  override readonly name = "NewerData"
}

/** Returns the tables that are ours to alter. @throws {NewerData} */
export async function migrate(clickhouse: ClickHouse, context: SchemaContext): Promise<ReadonlySet<string>> {
  const present = await namesPresent(clickhouse)
  const applied = present.has("pagespan_migrations") ? await readRecord(clickhouse) : []
  const found = Math.max(0, ...applied.map(({ version }) => version))
  if (found > NEWEST_VERSION)
    throw new NewerData(
      `The store was written by a newer Pagespan (schema ${found}; this one knows ${NEWEST_VERSION}). It was left untouched: upgrade Pagespan, or use another data directory.`,
    )
  const ours = new Set(applied.flatMap(({ made }) => made))
  if (found === NEWEST_VERSION) return ours
  await clickhouse.run(RECORD)
  for (const { version, title, creates, alters = [] } of MIGRATIONS) {
    if (version <= found) continue
    for (const { ddl } of creates) await clickhouse.run(ddl(context))
    for (const ddl of alters) await clickhouse.run(ddl())
    const made = creates.map(({ name }) => name).filter((name) => !present.has(name))
    for (const name of made) ours.add(name)
    await record(clickhouse, { Version: version, Title: title, Made: made })
  }
  return ours
}

async function namesPresent(clickhouse: ClickHouse): Promise<Set<string>> {
  const rows = await clickhouse.select<{ name: string }>(
    "SELECT name FROM system.tables WHERE database = currentDatabase()",
  )
  return new Set(rows.map(({ name }) => name))
}

async function readRecord(clickhouse: ClickHouse): Promise<{ version: number; made: string[] }[]> {
  return clickhouse.select("SELECT Version AS version, Made AS made FROM pagespan_migrations ORDER BY Version")
}

async function record(clickhouse: ClickHouse, row: { Version: number; Title: string; Made: string[] }): Promise<void> {
  const sql = "INSERT INTO pagespan_migrations (Version, Title, Made) SETTINGS async_insert = 0 FORMAT JSONEachRow"
  await clickhouse.insert(sql, [Buffer.from(JSON.stringify(row))])
}
