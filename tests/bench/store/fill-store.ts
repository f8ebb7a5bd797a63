import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import type { ClickHouseClient } from "@clickhouse/client"
import { clientOf, forkStore, portOf, stop } from "#tests/inspector/store/process/processes.ts"

/** Fills a store with millions of spans for a benchmark, faster than by inserting each. */

export const MILLION = 1_000_000
/** The time that a million spans cover, at 46 spans per second. */
export const MILLION_MS = 6 * 3_600_000
const COPY_PIECES = 12
const QUIET_SECONDS = 5

/** Opens the store's files for statements of a benchmark. */
export async function withEngine<Result>(
  dataDirectory: string,
  work: (client: ClickHouseClient) => Promise<Result>,
): Promise<Result> {
  const child = forkStore()
  const client = clientOf(await portOf(child, join(dataDirectory, "clickhouse")))
  try {
    return await work(client)
  } finally {
    await client.close()
    await stop(child)
  }
}

/** A range of time in milliseconds, and how its copy differs. */
interface Copy {
  readonly from: number
  readonly until: number
  /** How much earlier the copy is. */
  readonly shiftMs: number
  /** Four digits with which the ids of its traces begin. */
  readonly prefix: string
}

/** Copies spans in both tables, in small pieces, since the engine has 700 MB. */
export async function copySpans(client: ClickHouseClient, { from, until, shiftMs, prefix }: Copy): Promise<void> {
  const shifted = `* REPLACE (Timestamp - toIntervalMillisecond(${shiftMs}) AS Timestamp, concat('${prefix}', substring(TraceId, 5)) AS TraceId)`
  const piece = (until - from) / COPY_PIECES
  for (const table of ["otel_traces", "pagespan_spans"])
    for (let start = from; start < until; start += piece)
      await client.command({
        query: `INSERT INTO ${table} SELECT ${shifted} FROM ${table} AS source
          WHERE source.Timestamp >= fromUnixTimestamp64Milli(${start}) AND source.Timestamp < fromUnixTimestamp64Milli(${start + piece})
          SETTINGS log_comment = 'pagespan', async_insert = 0, max_threads = 1, max_block_size = 3000,
            max_read_buffer_size = 65536, preferred_block_size_bytes = 1000000, max_insert_block_size = 3000,
            min_insert_block_size_rows = 3000, min_insert_block_size_bytes = 3000000`,
      })
}

/** Copies the million spans before `end`, `number` times six hours earlier and with other ids. */
export async function copyMillion(client: ClickHouseClient, number: number, end: number): Promise<void> {
  const prefix = number.toString(16).padStart(4, "0")
  await copySpans(client, { from: end - MILLION_MS, until: end, shiftMs: number * MILLION_MS, prefix })
}

const ATTACHMENTS = 100
const ATTACHMENT_BYTES = 1e6

/** Adds a hundred attachments of 1 MB that hardly compress, in one day. */
export async function addAttachments(client: ClickHouseClient, timeMs: number): Promise<void> {
  await client.command({
    query: `INSERT INTO pagespan_items (Time, Type, ItemId, ByteLength, Encoding, Payload)
      SELECT fromUnixTimestamp64Milli(toInt64(${Math.floor(timeMs)})), 'attachment', lower(hex(randomString(16))),
        ${ATTACHMENT_BYTES}, 'utf-8', randomPrintableASCII(${ATTACHMENT_BYTES}) FROM numbers(${ATTACHMENTS})
      SETTINGS async_insert = 0, max_threads = 1, max_block_size = 10, max_insert_block_size = 10,
        min_insert_block_size_rows = 10, min_insert_block_size_bytes = 10000000`,
  })
}

/** Merges each day into one part, as the engine does six hours after its last span. */
export async function mergeDays(client: ClickHouseClient): Promise<void> {
  const query = `SELECT DISTINCT table, partition_id AS day FROM system.parts
    WHERE active AND database = currentDatabase() AND partition_id != 'all'`
  const answer = await client.query({ query, format: "JSONEachRow" })
  for (const { table, day } of await answer.json<{ table: string; day: string }>())
    await client.command({ query: `OPTIMIZE TABLE ${table} PARTITION ID '${day}' FINAL` })
}

/** Waits until the engine has merged the copies, so that the queries run on a store at rest, or until the time is over. */
export async function untilMerged(client: ClickHouseClient, seconds = Infinity): Promise<void> {
  for (let quiet = 0, left = seconds; quiet < QUIET_SECONDS && left > 0; left -= 1, await setTimeout(1_000)) {
    const answer = await client.query({ query: "SELECT count() AS merges FROM system.merges", format: "JSONEachRow" })
    const [row] = await answer.json<{ merges: string | number }>()
    quiet = Number(row?.merges) === 0 ? quiet + 1 : 0
  }
}

/** Bytes of all tables on disk, spans, and the time of the last one in milliseconds. */
export async function sizeOf(client: ClickHouseClient): Promise<{ bytes: number; spans: number; lastMs: number }> {
  const answer = await client.query({
    query: `SELECT toFloat64(sum(bytes_on_disk)) AS bytes, toFloat64(sumIf(rows, table = 'otel_traces')) AS spans,
      (SELECT toFloat64(toUnixTimestamp64Milli(max(Timestamp))) FROM otel_traces) AS lastMs
      FROM system.parts WHERE active AND database = currentDatabase()`,
    format: "JSONEachRow",
  })
  const [row] = await answer.json<{ bytes: number; spans: number; lastMs: number }>()
  return { bytes: Number(row?.bytes), spans: Number(row?.spans), lastMs: Number(row?.lastMs) }
}
