import { createHash } from "node:crypto"
import type { ClickHouse } from "../clickhouse.ts"
import type { Block } from "../native/block.ts"
import { OWN_INSERT } from "../schema/pagespan-tables.ts"
import { LineChunks } from "./line-chunks.ts"

/**
 * Bytes that one insert carries at most; a batch of very large spans is stored in pieces. From 10 MB on the engine
 * writes a file for each column at once, for which it takes 350 MB of the 700 that the embedded one has.
 */
export const INSERT_BYTES = 8 * 1024 * 1024

interface Insert {
  readonly table: string
  /** Names the rows: the same ones inserted again under the same name are stored once, where the table remembers. */
  readonly batchId: string
}

/** Resolves when all rows of the block are in the table. */
export async function insertBlock(
  clickhouse: ClickHouse,
  { block, ...insert }: Insert & { readonly block: Pick<Block<never>, "columns" | "encode"> },
): Promise<void> {
  await clickhouse.insert(statement(insert, block.columns, "Native"), [block.encode()])
}

/** Rows as objects, which name the columns and all have the same. */
export async function insertRows(
  clickhouse: ClickHouse,
  { table, batchId, rows }: Insert & { readonly rows: readonly object[] },
): Promise<void> {
  const columns = Object.keys(rows[0] ?? {})
  const lines = new LineChunks()
  for (const row of rows) lines.add(JSON.stringify(Object.values(row)))
  let position = 0
  for (const chunks of pieces(lines.end())) {
    const insert = { table, batchId: `${batchId}/${position++}` }
    await clickhouse.insert(statement(insert, columns, "JSONCompactEachRow"), chunks)
  }
}

function statement({ table, batchId }: Insert, columns: readonly string[], format: string): string {
  return `INSERT INTO ${table} (${columns.join(", ")}) SETTINGS ${settingsOf(batchId)} FORMAT ${format}`
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
