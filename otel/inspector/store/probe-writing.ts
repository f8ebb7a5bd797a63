import type { ClickHouse } from "./clickhouse.ts"
import { insertStatement } from "./insert-statement.ts"

/** Inserts a row into a table of its own and drops the table. Rejects if ClickHouse cannot write. */
export async function probeWriting(clickhouse: ClickHouse): Promise<void> {
  await clickhouse.run("CREATE TABLE IF NOT EXISTS pagespan_probe (Row UInt8) ENGINE = MergeTree ORDER BY tuple()")
  try {
    const settings = ["async_insert = 0"]
    const sql = insertStatement({ table: "pagespan_probe", columns: ["Row"], settings, format: "JSONEachRow" })
    await clickhouse.insert(sql, [Buffer.from('{"Row":1}')])
  } finally {
    await clickhouse.run("DROP TABLE IF EXISTS pagespan_probe SYNC")
  }
}
