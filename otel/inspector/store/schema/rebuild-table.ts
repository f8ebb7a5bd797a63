import type { ClickHouse } from "../clickhouse.ts"
import { columnName } from "../sql-text.ts"
import { createTable, embeddedOrder, type SchemaContext, storedColumns, type Table } from "./ddl.ts"

/** Rows that one statement copies, about: it must end within the time limit of a request. */
const SLICE_ROWS = 100_000
const PARTITION_ID = /^\w+$/
/** Small blocks, since the embedded engine has 700 MB. */
const COPY_SETTINGS = [
  "insert_deduplicate = 0",
  "async_insert = 0",
  "max_threads = 1",
  "max_insert_threads = 1",
  "max_block_size = 8192",
  "min_insert_block_size_rows = 50000",
  "min_insert_block_size_bytes = 30000000",
].join(", ")

/**
 * Gives a table of the embedded engine the order of its definition, with codecs, indexes and settings: ClickHouse cannot
 * change the order in place. It copies partition by partition into another table, and drops each one that is copied, so
 * that the disk holds no more than one twice. A run that was interrupted continues where it ended.
 */
export async function rebuildTable(clickhouse: ClickHouse, table: Table, context: SchemaContext): Promise<void> {
  const { name } = table
  const rebuilt = `${name}_rebuilt`
  const [found] = await clickhouse.select<{ order: string }>(
    "SELECT sorting_key AS order FROM system.tables WHERE database = currentDatabase() AND name = {name:String}",
    { name },
  )
  if (found !== undefined && found.order !== embeddedOrder(table)) {
    await clickhouse.run(createTable(table, context, rebuilt))
    for (const id of await partitionIds(clickhouse, name)) await movePartition(clickhouse, table, rebuilt, id)
    await clickhouse.run(`EXCHANGE TABLES ${name} AND ${rebuilt}`)
  }
  await clickhouse.run(`DROP TABLE IF EXISTS ${rebuilt} SYNC`)
}

async function partitionIds(clickhouse: ClickHouse, name: string): Promise<string[]> {
  const rows = await clickhouse.select<{ id: string }>(
    `SELECT DISTINCT partition_id AS id FROM system.parts
    WHERE active AND database = currentDatabase() AND table = {name:String} ORDER BY id`,
    { name },
  )
  return rows.map(({ id }) => id)
}

/** Copies slices of time, whose rows the earlier order has side by side for each service and name. */
async function movePartition(clickhouse: ClickHouse, table: Table, to: string, id: string): Promise<void> {
  if (!PARTITION_ID.test(id)) throw new Error(`A partition of the store has the unexpected id ${JSON.stringify(id)}`)
  await clickhouse.run(`ALTER TABLE ${to} DROP PARTITION ID '${id}'`)
  const columns = storedColumns(table).map(columnName).join(", ")
  const [range] = await clickhouse.select<{ first: string; last: string; rows: string }>(
    `SELECT toString(toUnixTimestamp64Nano(min(Timestamp))) AS first,
      toString(toUnixTimestamp64Nano(max(Timestamp))) AS last, toString(count()) AS rows
    FROM ${table.name} WHERE _partition_id = {id:String}`,
    { id },
  )
  const [first, last, rows] = [BigInt(range?.first ?? 0), BigInt(range?.last ?? 0), Number(range?.rows ?? 0)]
  const slices = BigInt(Math.max(1, Math.ceil(rows / SLICE_ROWS)))
  const length = (last - first) / slices + 1n
  for (let from = first; from <= last; from += length)
    await clickhouse.run(
      `INSERT INTO ${to} (${columns}) SELECT ${columns} FROM ${table.name}
      WHERE _partition_id = {id:String} AND Timestamp >= fromUnixTimestamp64Nano({from:Int64})
        AND Timestamp < fromUnixTimestamp64Nano({until:Int64}) SETTINGS ${COPY_SETTINGS}`,
      { id, from: String(from), until: String(from + length) },
    )
  await clickhouse.run(`ALTER TABLE ${table.name} DROP PARTITION ID '${id}'`)
}
