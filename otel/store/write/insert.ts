import { createHash } from "node:crypto"
import type { ClickHouse } from "../clickhouse.ts"
import { OWN_INSERT } from "../schema/pagespan-tables.ts"
import { LineChunks } from "./line-chunks.ts"

/**
 * Bytes of JSON that one insert carries at most; a batch of very large spans is stored in pieces. From 10 MB on the
 * engine writes a file for each column at once, for which it takes 350 MB of the 700 that the embedded one has.
 */
const INSERT_BYTES = 8 * 1024 * 1024

export interface Insert {
  readonly table: string
  readonly columns: readonly string[]
  /** Names the rows: the same ones inserted again under the same name are stored once, where the table remembers. */
  readonly batchId: string
  /** Whole lines of `JSONCompactEachRow`: the values of the columns as a JSON array. */
  readonly chunks: readonly Buffer[]
}

/** Resolves when all lines are in the table. */
export async function insertLines(clickhouse: ClickHouse, insert: Insert): Promise<void> {
  const columns = insert.columns.join(", ")
  let position = 0
  for (const chunks of pieces(insert.chunks)) {
    const settings = settingsOf(`${insert.batchId}/${position++}`)
    const sql = `INSERT INTO ${insert.table} (${columns}) SETTINGS ${settings} FORMAT JSONCompactEachRow`
    await clickhouse.insert(sql, chunks)
  }
}

/** The same for rows as objects, which name the columns and all have the same. */
export async function insertRows(
  clickhouse: ClickHouse,
  { rows, ...insert }: Omit<Insert, "columns" | "chunks"> & { readonly rows: readonly object[] },
): Promise<void> {
  const columns = Object.keys(rows[0] ?? {})
  const lines = new LineChunks()
  for (const row of rows) lines.add(JSON.stringify(Object.values(row)))
  await insertLines(clickhouse, { ...insert, columns, chunks: lines.end() })
}

/**
 * - `async_insert = 0`: an acknowledged row is in its part, not in a buffer.
 * - `distributed_foreground_insert = 1`: the same where the table spreads rows over shards.
 * - `insert_deduplication_token`: what the table recognises a repeated insert by; hashed, because batch ids come from
 *   outside and this is SQL text.
 * - `deduplicate_blocks_in_dependent_materialized_views`: an insert that was cut off between a table and its views is
 *   completed when it is repeated.
 * - `max_partitions_per_insert_block = 0`: a batch whose spans lie on many days is odd, and still one batch.
 */
function settingsOf(token: string): string {
  return [
    "async_insert = 0",
    "distributed_foreground_insert = 1",
    `insert_deduplication_token = '${createHash("sha256").update(token).digest("hex")}'`,
    "deduplicate_blocks_in_dependent_materialized_views = 1",
    "max_partitions_per_insert_block = 0",
    `log_comment = '${OWN_INSERT}'`,
  ].join(", ")
}

/** The chunks in pieces that depend on them alone: a repeated batch falls into the same ones. */
function* pieces(chunks: readonly Buffer[]): Generator<readonly Buffer[]> {
  let start = 0
  let size = 0
  for (const [index, chunk] of chunks.entries()) {
    if (size > 0 && size + chunk.length > INSERT_BYTES) {
      yield chunks.slice(start, index)
      start = index
      size = 0
    }
    size += chunk.length
  }
  if (size > 0) yield chunks.slice(start)
}
