import { ClickHouseError } from "@clickhouse/client"
import type { DropCategory, DropRecord } from "../../../protocol/records/drop.ts"
import { EVENT_ITEM_TYPES } from "../../../protocol/records/envelope-item.ts"
import { nanoseconds, type Nanoseconds } from "../../../protocol/records/time.ts"
import type { ClickHouse } from "../clickhouse.ts"
import { isStorageFailure } from "../failure.ts"
import { EXPIRING_TABLES } from "./migrations.ts"
import { DROPPED, ERRORS, ITEMS, LOGS, RETAINED, RETAINED_COPIES } from "./record-tables.ts"
import { OTEL_TRACE_TIMES, OTEL_TRACES } from "./span-tables.ts"

/**
 * Enforces age and size of the embedded store. It drops days past the retention, then the oldest day until the rest
 * fits. If a single day is too large it deletes the older half, which rewrites the day and is the expensive case. Rows
 * that are deleted for size, before their age, are recorded as drops. Tables on a server belong to its operators.
 */

export interface StoreLimits {
  /** Start of the retention. */
  readonly oldest: Nanoseconds
  readonly maxBytes: number
  readonly now: Nanoseconds
  /** Copies the retained traces that began before a time, whose rows are deleted next. */
  readonly save: (before: Nanoseconds) => Promise<void>
  /** Stores a drop. One that is recorded again under the same id counts once. */
  readonly record: (drop: DropRecord, id: string) => Promise<void>
}

/** A daily partition. Its id is the date in digits. */
interface Day {
  readonly id: string
  readonly bytes: number
}

/** What is deleted for size: a day, or its rows up to a time in nanoseconds. */
interface Deletion {
  readonly day: string
  readonly through?: string
}

/** Tables whose rows count as drops. The others hold the same spans once more, and drops. */
const COUNTED: ReadonlyMap<string, { readonly category: DropCategory; readonly what: string }> = new Map([
  [OTEL_TRACES.name, { category: "span", what: "spans" }],
  [ERRORS.name, { category: "error", what: "errors" }],
  [LOGS.name, { category: "log_item", what: "logs" }],
  [ITEMS.name, { category: "default", what: "envelope items" }],
])

const NANOS_PER_DAY = 86_400_000_000_000n

export async function enforceLimits(clickhouse: ClickHouse, limits: StoreLimits): Promise<void> {
  const oldestDay = dayId(limits.oldest)
  const past: Day[] = []
  const days: Day[] = []
  for (const day of await readDays(clickhouse)) {
    if (day.id < oldestDay) past.push(day)
    else days.push(day)
  }
  const lastPast = past.at(-1)
  if (lastPast !== undefined) await limits.save(endOf(lastPast))
  for (const { id } of past) for (const table of dailyTables()) await clickhouse.run(deletionSql(table, { day: id }))
  let bytes = days.reduce((sum, day) => sum + day.bytes, 0)
  while (bytes > limits.maxBytes && days.length > 1) {
    const day = days.shift()
    if (!day) break
    await limits.save(endOf(day))
    await deleteForSize(clickhouse, { day: digits(day.id) }, limits)
    bytes -= day.bytes
  }
  const [only] = days
  if (only && bytes > limits.maxBytes && !(await isRewriting(clickhouse))) await halveDay(clickhouse, only, limits)
}

/** Days with rows, oldest first. The weekly lookup table is small and expires by itself. */
async function readDays(clickhouse: ClickHouse): Promise<Day[]> {
  const rows = await clickhouse.select<{ id: string; bytes: string }>(
    `SELECT partition_id AS id, toString(sum(bytes_on_disk)) AS bytes
    FROM system.parts WHERE active AND database = currentDatabase() AND table IN {tables:Array(String)}
    GROUP BY id ORDER BY id`,
    { tables: dailyTables() },
  )
  return rows.map(({ id, bytes }) => ({ id, bytes: Number(bytes) }))
}

/**
 * Records the drops of each table right before its rows are deleted: a failure loses no counts, and leaves uncounted no
 * rows but those that arrive in between. If the deletion itself fails, the next attempt records these rows again. Of a
 * whole day they then have the same id and count once, unless more have arrived meanwhile: then they count twice. Of a
 * half they count twice if its middle is another one by then.
 */
async function deleteForSize(clickhouse: ClickHouse, deletion: Deletion, limits: StoreLimits): Promise<void> {
  for (const table of dailyTables()) {
    const drop = await dropOf(clickhouse, table, deletion, limits)
    const isRecorded = drop === undefined || (await recordIfWritable(limits, drop))
    await clickhouse.run(deletionSql(table, deletion))
    if (!isRecorded) await limits.record(...drop)
  }
}

/** `false` on a full disk: the deletion makes room for the drop. */
async function recordIfWritable({ record }: StoreLimits, drop: Parameters<StoreLimits["record"]>): Promise<boolean> {
  try {
    await record(...drop)
    return true
  } catch (error) {
    if (isStorageFailure(error)) return false
    throw error
  }
}

/** The drop of a table's rows that are deleted, with its id. */
async function dropOf(
  clickhouse: ClickHouse,
  table: string,
  deletion: Deletion,
  { now, maxBytes }: StoreLimits,
): Promise<Parameters<StoreLimits["record"]> | undefined> {
  const counted = COUNTED.get(table)
  if (counted === undefined) return undefined
  const last = await lastBlock(clickhouse, table, deletion.day)
  const count = last === undefined ? 0 : await countRows(clickhouse, table, deletion)
  if (count === 0) return undefined
  const { day, through } = deletion
  const what = `the ${through === undefined ? "" : "older "}${counted.what} of ${day}`
  const sample = `${what}: the store was larger than ${(maxBytes / 2 ** 30).toFixed(2)} GiB`
  const { category } = counted
  return [
    { time: now, stage: "store", sender: "inspector", reason: "expired", category, count, sample },
    ["size limit", table, day, through ?? "whole", last].join("/"),
  ]
}

/** Number of the newest block of the table's day: another one after each insert, whatever is merged or deleted. */
async function lastBlock(clickhouse: ClickHouse, table: string, day: string): Promise<string | undefined> {
  const [row] = await clickhouse.select<{ parts: number; last: string }>(
    `SELECT toUInt32(count()) AS parts, toString(max(max_block_number)) AS last FROM system.parts
    WHERE active AND database = currentDatabase() AND table = {table:String} AND partition_id = {day:String}`,
    { table, day },
  )
  return row?.parts ? row.last : undefined
}

/** `FINAL` reads ten million rows a second, in memory that does not grow with them. */
const COUNT_SECONDS = 20

/**
 * Rows that are deleted, each once if it was stored twice. If that cannot be found out in time, the limit must hold
 * nevertheless: rows that are stored twice then count twice, as spans always do.
 */
async function countRows(clickhouse: ClickHouse, table: string, deletion: Deletion): Promise<number> {
  if (table === OTEL_TRACES.name) return readCount(clickhouse, table, deletion)
  try {
    return await readCount(clickhouse, table, deletion, { from: `${table} FINAL`, seconds: COUNT_SECONDS })
  } catch (error) {
    if (!(error instanceof ClickHouseError)) throw error
    return readCount(clickhouse, table, deletion)
  }
}

async function readCount(
  clickhouse: ClickHouse,
  table: string,
  { day, through }: Deletion,
  { from, seconds } = { from: table, seconds: 0 },
): Promise<number> {
  const time = EXPIRING_TABLES.get(table)
  // Events are counted as errors and spans, and not as the items that they arrived in.
  const others = table === ITEMS.name ? "AND Type NOT IN {events:Array(String)}" : ""
  const [row] = await clickhouse.select<{ count: string }>(
    `SELECT toString(count()) AS count FROM ${from} WHERE toYYYYMMDD(${time}) = {day:UInt32} ${others}
      ${through === undefined ? "" : `AND ${upTo(time, through)}`} SETTINGS max_execution_time = ${seconds}`,
    { day, ...(others && { events: EVENT_ITEM_TYPES }) },
  )
  return Number(row?.count ?? 0)
}

function deletionSql(table: string, { day, through }: Deletion): string {
  const partition = `PARTITION ID '${digits(day)}'`
  if (through === undefined) return `ALTER TABLE ${table} DROP ${partition}`
  const rows = upTo(EXPIRING_TABLES.get(table), through)
  return `ALTER TABLE ${table} DELETE IN ${partition} WHERE ${rows} SETTINGS mutations_sync = 0`
}

/** Rows are counted and deleted by the same condition. */
function upTo(time: string | undefined, through: string): string {
  return `${time} <= fromUnixTimestamp64Nano(toInt64(${digits(through)}))`
}

/** ClickHouse rewrites a day in the background; until it is done, the size of the day means nothing. */
async function isRewriting(clickhouse: ClickHouse): Promise<boolean> {
  const [row] = await clickhouse.select<{ open: number }>(
    "SELECT toUInt8(count() > 0) AS open FROM system.mutations WHERE database = currentDatabase() AND NOT is_done",
  )
  return row?.open === 1
}

/**
 * Deletes the older half of the day: the rows up to a time that is read once, then counted by and deleted by. It is that
 * of a row of the table that is largest on that day, at most 0.01 % of the rows away from its middle. The exact middle
 * would take eight bytes a row, which of 50 million rows is more than the embedded engine has; this takes a few megabytes.
 */
async function halveDay(clickhouse: ClickHouse, { id }: Day, limits: StoreLimits): Promise<void> {
  const day = digits(id)
  const table = await largestTable(clickhouse, day)
  const time = EXPIRING_TABLES.get(table)
  const [row] = await clickhouse.select<{ middle: string }>(
    // Of two middle rows, negative times give the later one.
    `SELECT toString(-quantileGK(10000, 0.5)(-toUnixTimestamp64Nano(${time}))) AS middle
    FROM ${table} WHERE toYYYYMMDD(${time}) = {day:UInt32}`,
    { day },
  )
  const through = digits(row?.middle ?? "0")
  await limits.save(nanoseconds(BigInt(through) + 1n))
  await deleteForSize(clickhouse, { day, through }, limits)
}

async function largestTable(clickhouse: ClickHouse, id: string): Promise<string> {
  const [row] = await clickhouse.select<{ name: string }>(
    `SELECT table AS name FROM system.parts
    WHERE active AND database = currentDatabase() AND partition_id = {id:String} AND table IN {tables:Array(String)}
    GROUP BY table ORDER BY sum(bytes_on_disk) DESC LIMIT 1`,
    { id, tables: dailyTables() },
  )
  return dailyTables().find((table) => table === row?.name) ?? "otel_traces"
}

/** Drops are deleted first: those of the other tables are recorded meanwhile, and may be of the same day. */
function dailyTables(): string[] {
  const others = [...EXPIRING_TABLES.keys()].filter(
    (table) => table !== DROPPED.name && table !== OTEL_TRACE_TIMES.name,
  )
  return [DROPPED.name, ...others]
}

/** Text that becomes part of a statement comes from the engine's own tables, and is digits. */
function digits(text: string): string {
  if (!/^\d+$/.test(text)) throw new Error(`A partition of the store has the unexpected id ${JSON.stringify(text)}`)
  return text
}

function dayId(time: Nanoseconds): string {
  const start = (time / NANOS_PER_DAY) * NANOS_PER_DAY
  return new Date(Number(start / 1_000_000n)).toISOString().slice(0, 10).replaceAll("-", "")
}

/** The end of the day. */
function endOf({ id }: Day): Nanoseconds {
  const [, year = "", month = "", date = ""] = /^(\d{4})(\d{2})(\d{2})$/.exec(id) ?? []
  return nanoseconds(BigInt(Date.UTC(Number(year), Number(month) - 1, Number(date) + 1)) * 1_000_000n)
}

/** Deletes all records of the embedded store. Returns `false` on a server, where others may read and write. */
export async function clearRecords(clickhouse: ClickHouse): Promise<boolean> {
  if (!clickhouse.endpoint.embedded) return false
  const copies = [...RETAINED.map(({ retained }) => retained), RETAINED_COPIES].map(({ name }) => name)
  for (const table of [...EXPIRING_TABLES.keys(), ...copies]) await clickhouse.run(`TRUNCATE TABLE ${table}`)
  return true
}
