import type { DropCategory, DropRecord } from "../../../protocol/records/drop.ts"
import { EVENT_ITEM_TYPES } from "../../../protocol/records/envelope-item.ts"
import { nanoseconds, type Nanoseconds } from "../../../protocol/records/time.ts"
import type { ClickHouse } from "../clickhouse.ts"
import { EXPIRING_TABLES } from "./migrations.ts"
import { RETAINED, RETAINED_COPIES } from "./record-tables.ts"

/**
 * Enforces age and size of the embedded store. It drops days past the retention, then the oldest day until the rest
 * fits. If a single day is too large it deletes the older half, which rewrites the day and is the expensive case. Rows
 * that are deleted for size, before their age, are returned as drops. Tables on a server belong to its operators.
 */

export interface StoreLimits {
  /** Start of the retention. */
  readonly oldest: Nanoseconds
  readonly maxBytes: number
  readonly now: Nanoseconds
  /** Copies the retained traces that began before a time, whose rows are deleted next. */
  readonly save: (before: Nanoseconds) => Promise<void>
}

/** A daily partition. Its id is the date in digits. */
interface Day {
  readonly id: string
  readonly bytes: number
  readonly spans: number
}

const NANOS_PER_DAY = 86_400_000_000_000n

/** Returns the drops: rows that were deleted before their age. */
export async function enforceLimits(clickhouse: ClickHouse, limits: StoreLimits): Promise<DropRecord[]> {
  const oldestDay = dayId(limits.oldest)
  const drops: DropRecord[] = []
  const past: Day[] = []
  const days: Day[] = []
  for (const day of await readDays(clickhouse)) {
    if (day.id < oldestDay) past.push(day)
    else days.push(day)
  }
  const lastPast = past.at(-1)
  if (lastPast !== undefined) await limits.save(endOf(lastPast))
  for (const day of past) await dropDay(clickhouse, day.id)
  let bytes = days.reduce((sum, day) => sum + day.bytes, 0)
  while (bytes > limits.maxBytes && days.length > 1) {
    const day = days.shift()
    if (!day) break
    await limits.save(endOf(day))
    drops.push(drop(limits, "span", day.spans, `the spans of ${day.id}`))
    drops.push(drop(limits, "default", await countItems(clickhouse, day.id), `the envelope items of ${day.id}`))
    await dropDay(clickhouse, day.id)
    bytes -= day.bytes
  }
  const [only] = days
  if (only && bytes > limits.maxBytes && !(await isRewriting(clickhouse)))
    drops.push(...(await halveDay(clickhouse, only, limits)))
  return drops.filter(({ count }) => count > 0)
}

/** Days with rows, oldest first. The weekly lookup table is small and expires by itself. */
async function readDays(clickhouse: ClickHouse): Promise<Day[]> {
  const rows = await clickhouse.select<{ id: string; bytes: string; spans: string }>(
    `SELECT partition_id AS id, toString(sum(bytes_on_disk)) AS bytes,
      toString(sumIf(rows, table = 'otel_traces')) AS spans
    FROM system.parts WHERE active AND database = currentDatabase() AND table IN {tables:Array(String)}
    GROUP BY id ORDER BY id`,
    { tables: dailyTables() },
  )
  return rows.map(({ id, bytes, spans }) => ({ id, bytes: Number(bytes), spans: Number(spans) }))
}

async function dropDay(clickhouse: ClickHouse, id: string): Promise<void> {
  for (const table of dailyTables()) await clickhouse.run(`ALTER TABLE ${table} DROP PARTITION ID '${digits(id)}'`)
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
async function halveDay(clickhouse: ClickHouse, day: Day, limits: StoreLimits): Promise<DropRecord[]> {
  const id = digits(day.id)
  const table = await largestTable(clickhouse, id)
  const time = EXPIRING_TABLES.get(table)
  const [row] = await clickhouse.select<{ middle: string }>(
    // Of two middle rows, negative times give the later one.
    `SELECT toString(-quantileGK(10000, 0.5)(-toUnixTimestamp64Nano(${time}))) AS middle
    FROM ${table} WHERE toYYYYMMDD(${time}) = {day:UInt32}`,
    { day: id },
  )
  const middle = digits(row?.middle ?? "0")
  const [spans] = await clickhouse.select<{ older: string }>(
    `SELECT toString(count()) AS older FROM otel_traces
    WHERE toYYYYMMDD(Timestamp) = {day:UInt32} AND Timestamp <= fromUnixTimestamp64Nano({middle:Int64})`,
    { day: id, middle },
  )
  const items = await countItems(clickhouse, id, middle)
  await limits.save(nanoseconds(BigInt(middle) + 1n))
  for (const table of dailyTables())
    await clickhouse.run(
      `ALTER TABLE ${table} DELETE IN PARTITION ID '${id}'
      WHERE ${EXPIRING_TABLES.get(table)} <= fromUnixTimestamp64Nano(toInt64(${middle})) SETTINGS mutations_sync = 0`,
    )
  return [
    drop(limits, "span", Number(spans?.older ?? 0), `the older spans of ${id}`),
    drop(limits, "default", items, `the older envelope items of ${id}`),
  ]
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

/** Items of a day up to a time, without events, which count as errors and spans. */
async function countItems(clickhouse: ClickHouse, id: string, middle?: string): Promise<number> {
  const [row] = await clickhouse.select<{ count: string }>(
    `SELECT toString(uniqExact(ItemId)) AS count FROM pagespan_items
    WHERE toYYYYMMDD(Time) = {day:UInt32} AND Type NOT IN {events:Array(String)}
      AND ({middle:String} = '' OR Time <= fromUnixTimestamp64Nano(toInt64OrZero({middle:String})))`,
    { day: digits(id), events: EVENT_ITEM_TYPES, middle: middle ?? "" },
  )
  return Number(row?.count ?? 0)
}

function dailyTables(): string[] {
  return [...EXPIRING_TABLES.keys()].filter((table) => table !== "otel_traces_trace_id_ts")
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

function drop({ now, maxBytes }: StoreLimits, category: DropCategory, count: number, what: string): DropRecord {
  const sample = `${what}: the store was larger than ${(maxBytes / 2 ** 30).toFixed(2)} GiB`
  return { time: nanoseconds(now), stage: "store", sender: "inspector", reason: "expired", category, count, sample }
}

/** Deletes all records of the embedded store. Returns `false` on a server, where others may read and write. */
export async function clearRecords(clickhouse: ClickHouse): Promise<boolean> {
  if (!clickhouse.endpoint.embedded) return false
  const copies = [...RETAINED.map(({ retained }) => retained), RETAINED_COPIES].map(({ name }) => name)
  for (const table of [...EXPIRING_TABLES.keys(), ...copies]) await clickhouse.run(`TRUNCATE TABLE ${table}`)
  return true
}
