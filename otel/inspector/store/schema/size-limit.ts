import type { DropCategory, DropRecord } from "../../../protocol/records/drop.ts"
import { EVENT_ITEM_TYPES } from "../../../protocol/records/envelope-item.ts"
import { nanoseconds, type Nanoseconds } from "../../../protocol/records/time.ts"
import type { ClickHouse } from "../clickhouse.ts"
import { AGEING_TABLES } from "./migrations.ts"

/**
 * Keeps the embedded store within its age and its size: days that are past the age go, then the oldest day goes until
 * the rest fits. Where a single day is too large its older half goes, which rewrites the day and is the costly case.
 * What goes for size alone, before its age, is a drop and is returned as one. Tables of a server are its operators'.
 */

export interface StoreLimits {
  /** Nothing before this is kept. */
  readonly oldest: Nanoseconds
  readonly maxBytes: number
  readonly now: Nanoseconds
  /** Saves what is to be kept of what began before a time, which goes next. */
  readonly save: (before: Nanoseconds) => Promise<void>
}

/** Partition ids of a table by day are its date in digits. */
interface Day {
  readonly id: string
  readonly bytes: number
  readonly spans: number
}

const NANOS_PER_DAY = 86_400_000_000_000n

/** Returns what was dropped before its age. */
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

/** Days that hold rows, oldest first. The weekly look-up table is small and expires by itself. */
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

/** A day is rewritten in the background; its size says nothing until that is done. */
async function isRewriting(clickhouse: ClickHouse): Promise<boolean> {
  const [row] = await clickhouse.select<{ open: number }>(
    "SELECT toUInt8(count() > 0) AS open FROM system.mutations WHERE database = currentDatabase() AND NOT is_done",
  )
  return row?.open === 1
}

/** The half by time of the table that takes the most room on that day. */
async function halveDay(clickhouse: ClickHouse, day: Day, limits: StoreLimits): Promise<DropRecord[]> {
  const id = digits(day.id)
  const table = await largestTable(clickhouse, id)
  const time = AGEING_TABLES.get(table)
  const [row] = await clickhouse.select<{ middle: string }>(
    `SELECT toString(toUnixTimestamp64Nano(quantileExact(0.5)(${time}))) AS middle
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
      WHERE ${AGEING_TABLES.get(table)} <= fromUnixTimestamp64Nano(toInt64(${middle})) SETTINGS mutations_sync = 0`,
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

/** Items of a day until a time, without the events that errors and spans stand for. */
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
  return [...AGEING_TABLES.keys()].filter((table) => table !== "otel_traces_trace_id_ts")
}

/** What becomes part of a statement here comes from the engine's own tables, and is digits. */
function digits(text: string): string {
  if (!/^\d+$/.test(text)) throw new Error(`A partition of the store has the unexpected id ${JSON.stringify(text)}`)
  return text
}

function dayId(time: Nanoseconds): string {
  const start = (time / NANOS_PER_DAY) * NANOS_PER_DAY
  return new Date(Number(start / 1_000_000n)).toISOString().slice(0, 10).replaceAll("-", "")
}

/** When the day is over. */
function endOf({ id }: Day): Nanoseconds {
  const [, year = "", month = "", date = ""] = /^(\d{4})(\d{2})(\d{2})$/.exec(id) ?? []
  return nanoseconds(BigInt(Date.UTC(Number(year), Number(month) - 1, Number(date) + 1)) * 1_000_000n)
}

function drop({ now, maxBytes }: StoreLimits, category: DropCategory, count: number, what: string): DropRecord {
  const sample = `${what}: the store was larger than ${(maxBytes / 2 ** 30).toFixed(2)} GiB`
  return { time: nanoseconds(now), stage: "store", reason: "expired", category, count, sample }
}
