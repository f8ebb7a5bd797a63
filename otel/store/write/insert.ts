import { createHash } from "node:crypto"
import type { ClickHouse } from "../clickhouse.ts"
import { OWN_INSERT } from "../schema/pagespan-tables.ts"

/**
 * Bytes of JSON that one insert carries at most; a batch of very large spans is stored in pieces. From 10 MB on the
 * engine writes a file for each column at once, for which it takes 350 MB of the 700 that the embedded one has.
 */
const INSERT_BYTES = 8 * 1024 * 1024

export interface Insert {
  readonly table: string
  /** Names the rows: the same ones inserted again under the same name are stored once, where the table remembers. */
  readonly batchId: string
  readonly rows: readonly object[]
}

/** Resolves when all rows are in the table. */
export async function insertRows(clickhouse: ClickHouse, { table, batchId, rows }: Insert): Promise<void> {
  const [first] = rows
  if (!first) return
  const columns = Object.keys(first).join(", ")
  let position = 0
  for (const lines of pieces(rows)) {
    const sql = `INSERT INTO ${table} (${columns}) SETTINGS ${settings(`${batchId}/${position++}`)} FORMAT JSONEachRow`
    await clickhouse.insert(sql, lines)
  }
}

/**
 * - `async_insert = 0`: an acknowledged row is in its part, not in a buffer.
 * - `distributed_foreground_insert = 1`: the same where the table spreads rows over shards.
 * - `insert_deduplication_token`: what the table recognises a repeated insert by; hashed, because batch ids come from
 *   outside and this is SQL text.
 * - `deduplicate_blocks_in_dependent_materialized_views`: an insert that was cut off between a table and its views is
 *   completed when it is repeated.
 * - `max_partitions_per_insert_block = 0`: a batch whose spans lie on many days is odd, and still one batch.
 * - `input_format_skip_unknown_fields = 0`: a column that does not exist is an error, not silence.
 */
function settings(token: string): string {
  return [
    "async_insert = 0",
    "distributed_foreground_insert = 1",
    `insert_deduplication_token = '${createHash("sha256").update(token).digest("hex")}'`,
    "deduplicate_blocks_in_dependent_materialized_views = 1",
    "max_partitions_per_insert_block = 0",
    "input_format_skip_unknown_fields = 0",
    `log_comment = '${OWN_INSERT}'`,
  ].join(", ")
}

/** The rows as JSON lines, in pieces that depend on the rows alone: a repeated batch falls into the same ones. */
function* pieces(rows: readonly object[]): Generator<Buffer> {
  let lines: string[] = []
  let size = 0
  for (const row of rows) {
    const line = `${JSON.stringify(row)}\n`
    if (size > 0 && size + line.length > INSERT_BYTES) {
      yield Buffer.from(lines.join(""))
      lines = []
      size = 0
    }
    lines.push(line)
    size += line.length
  }
  yield Buffer.from(lines.join(""))
}
