import { createHash } from "node:crypto"
import type { ClickHouse } from "../clickhouse.ts"
import { insertStatement } from "../insert-statement.ts"
import type { Block } from "../rows/native-format.ts"
import { OWN_INSERT } from "../schema/span-tables.ts"

/**
 * Bytes of one insert at most: a batch of very large spans becomes several inserts. From 10 MB on the engine writes a
 * file for each column at once, which takes 350 MB of the embedded engine's 700.
 */
export const INSERT_BYTES = 8 * 1024 * 1024

interface Insert {
  readonly table: string
  /** Identifies the rows: a table that deduplicates stores rows once that are inserted again under the same id. */
  readonly batchId: string
}

/** Resolves when all rows of the block are in the table. */
export async function insertBlock(
  clickhouse: ClickHouse,
  { table, batchId, block }: Insert & { readonly block: Pick<Block<never>, "columns" | "encode"> },
): Promise<void> {
  const sql = insertStatement({ table, columns: block.columns, settings: settingsOf(batchId), format: "Native" })
  await clickhouse.insert(sql, [block.encode()])
}

/** Inserts objects whose keys are the columns. All have the same keys. */
export async function insertRows(
  clickhouse: ClickHouse,
  { table, batchId, rows }: Insert & { readonly rows: readonly object[] },
): Promise<void> {
  const columns = Object.keys(rows[0] ?? {})
  let position = 0
  for (const chunks of pieces(rows)) {
    const settings = settingsOf(`${batchId}/${position++}`)
    await clickhouse.insert(insertStatement({ table, columns, settings, format: "JSONCompactEachRow" }), chunks)
  }
}

/**
 * - `async_insert = 0`: an acknowledged row is in a part, not in a buffer.
 * - `distributed_foreground_insert = 1`: the same for a table that distributes rows over shards.
 * - `insert_deduplication_token`: the table recognizes a repeated insert by it. It is a hash because batch ids come from
 *   outside, and this is SQL text.
 * - `deduplicate_blocks_in_dependent_materialized_views`: repeating an insert that was interrupted between a table and
 *   its views completes it.
 * - `max_partitions_per_insert_block = 0`: a batch may have spans of any number of days.
 */
function settingsOf(token: string): readonly string[] {
  return [
    "async_insert = 0",
    "distributed_foreground_insert = 1",
    `insert_deduplication_token = '${createHash("sha256").update(token).digest("hex")}'`,
    "deduplicate_blocks_in_dependent_materialized_views = 1",
    "max_partitions_per_insert_block = 0",
    `log_comment = '${OWN_INSERT}'`,
  ]
}

/**
 * The rows as bytes for several inserts, of which one is in memory at a time. They depend on the rows only: a repeated batch
 * gives the same ones.
 */
function* pieces(rows: readonly object[]): Generator<readonly Buffer[]> {
  let piece: Buffer[] = []
  let size = 0
  for (const chunk of chunksOf(rows)) {
    if (size > 0 && size + chunk.length > INSERT_BYTES) {
      yield piece
      piece = []
      size = 0
    }
    piece.push(chunk)
    size += chunk.length
  }
  if (size > 0) yield piece
}

/** Joining and encoding so many takes a tenth of a millisecond. */
const CHUNK_CHARACTERS = 128 * 1024

/** Whole lines as bytes. */
function* chunksOf(rows: readonly object[]): Generator<Buffer> {
  let lines = ""
  for (const row of rows) {
    lines += `${lineOf(row)}\n`
    if (lines.length < CHUNK_CHARACTERS) continue
    yield Buffer.from(lines)
    lines = ""
  }
  if (lines !== "") yield Buffer.from(lines)
}

/** A backslash that is escaped, or half of a character, which `JSON.stringify` escapes. */
const LONE_SURROGATE = /\\(\\|ud[89a-f][0-9a-f]{2})/g

/** One such half, in a text that was cut, would make ClickHouse reject all rows of the insert. */
function lineOf(row: object): string {
  const line = JSON.stringify(Object.values(row))
  if (!line.includes("\\ud")) return line
  return line.replace(LONE_SURROGATE, (escape, escaped: string) => (escaped === "\\" ? escape : "\ufffd"))
}
