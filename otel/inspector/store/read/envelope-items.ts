import { EVENT_ITEM_TYPES, type ItemRecord } from "../../../protocol/records/envelope-item.ts"
import type { SpanId, TraceId } from "../../../protocol/records/ids.ts"
import { nanoseconds, type Nanoseconds } from "../../../protocol/records/time.ts"
import type { ItemList, ItemListQuery, ItemSummary, ItemTypeCount } from "../../queries/errors/envelope-items.ts"
import type { ClickHouse, Parameters } from "../clickhouse.ts"
import {
  ITEM_ROW_COLUMNS,
  type ItemRow,
  PAYLOAD_COLUMNS,
  type PayloadRow,
  toItemSummary,
  toPayload,
} from "../rows/item-row.ts"
import { LATEST_TIME, storableTime } from "../rows/timestamp.ts"
import { fromCursor, toCursor } from "./cursor.ts"
import { readLimits } from "./limits.ts"

/** Items in a page at most. */
const PAGE_LIMIT = 1_000
/** Types that are counted. They come from outside. */
const TYPE_LIMIT = 100
/** Items that one event is shown with. */
const OF_EVENT = 200
/** Transactions that the spans of one path are the roots of. */
const OF_SPANS = 200
const LIMITS = readLimits({ seconds: 10, rows: PAGE_LIMIT + 1 })

const YOUNG_ENOUGH = "Time >= fromUnixTimestamp64Nano({oldest:Int64})"
/** An item can be stored once for each time that it was sent. */
const ONCE = "LIMIT 1 BY ItemId"
const LISTED = "(Type = {type:String} OR ({type:String} = '' AND Type NOT IN {events:Array(String)}))"

/** What is asked for is found in the two columns that tell the order, and then read. */
export async function listItems(clickhouse: ClickHouse, query: ItemListQuery, oldest: Nanoseconds): Promise<ItemList> {
  const limit = Math.min(Math.max(1, Math.trunc(query.limit)), PAGE_LIMIT)
  const after = query.after === undefined ? undefined : fromCursor(query.after)
  const rows = await clickhouse.select<ItemRow>(
    `SELECT ${ITEM_ROW_COLUMNS} FROM pagespan_items
    WHERE ${YOUNG_ENOUGH} AND ${LISTED} AND ItemId IN (
      SELECT ItemId FROM pagespan_items WHERE ${YOUNG_ENOUGH} AND ${LISTED}
        AND (Time, ItemId) < (fromUnixTimestamp64Nano({afterTime:Int64}), {afterId:String})
      ORDER BY Time DESC, ItemId DESC ${ONCE} LIMIT {limit:UInt32})
    ORDER BY Time DESC, ItemId DESC ${ONCE} LIMIT {limit:UInt32} ${LIMITS}`,
    {
      oldest: String(oldest),
      type: query.type ?? "",
      events: EVENT_ITEM_TYPES,
      afterTime: String(storableTime(nanoseconds(after?.value ?? LATEST_TIME))),
      afterId: after?.id ?? "~",
      limit: limit + 1,
    },
  )
  const items = rows.slice(0, limit).map(toItemSummary)
  const end = items.at(-1)
  return { items, next: rows.length > limit && end ? toCursor({ value: end.time, id: end.itemId }) : undefined }
}

export async function countItems(clickhouse: ClickHouse, oldest: Nanoseconds): Promise<readonly ItemTypeCount[]> {
  const rows = await clickhouse.select<{ type: string; count: string }>(
    `SELECT Type AS type, toString(uniqExact(ItemId)) AS count FROM pagespan_items
    WHERE ${YOUNG_ENOUGH} AND Type NOT IN {events:Array(String)}
    GROUP BY Type ORDER BY uniqExact(ItemId) DESC, Type LIMIT ${TYPE_LIMIT} ${LIMITS}`,
    { oldest: String(oldest), events: EVENT_ITEM_TYPES },
  )
  return rows.map(({ type, count }) => ({ type, count: Number(count) }))
}

export async function readItemsOfEvent(
  clickhouse: ClickHouse,
  eventId: string,
  oldest: Nanoseconds,
): Promise<readonly ItemSummary[]> {
  const items = await select(clickhouse, "(EventId = {id:String} OR AboutEventId = {id:String})", OF_EVENT, {
    id: eventId,
    oldest: String(oldest),
  })
  // A feedback is an event of its own, which its screenshots come with.
  const feedbacks = items.flatMap((item) => (item.aboutEventId === eventId && item.eventId ? [item.eventId] : []))
  if (feedbacks.length === 0) return items
  const theirs = await select(clickhouse, "EventId IN {ids:Array(String)}", OF_EVENT, {
    ids: feedbacks,
    oldest: String(oldest),
  })
  const known = new Set(items.map(({ itemId }) => itemId))
  return [...items, ...theirs.filter(({ itemId }) => !known.has(itemId))]
}

export function readEventsOfSpans(
  clickhouse: ClickHouse,
  traceId: TraceId,
  spanIds: readonly SpanId[],
  oldest: Nanoseconds,
): Promise<readonly ItemSummary[]> {
  const where = "Type = 'transaction' AND TraceId = {traceId:String} AND SpanId IN {spanIds:Array(String)}"
  return select(clickhouse, where, OF_SPANS, { traceId, spanIds, oldest: String(oldest) })
}

export async function readItem(
  clickhouse: ClickHouse,
  itemId: string,
  oldest: Nanoseconds,
): Promise<ItemRecord | undefined> {
  const [row] = await clickhouse.select<ItemRow & PayloadRow>(
    `SELECT ${ITEM_ROW_COLUMNS}, ${PAYLOAD_COLUMNS} FROM pagespan_items
    WHERE ItemId = {itemId:String} AND ${YOUNG_ENOUGH} LIMIT 1 ${LIMITS}`,
    { itemId, oldest: String(oldest) },
  )
  return row && { ...toItemSummary(row), payload: toPayload(row) }
}

async function select(
  clickhouse: ClickHouse,
  where: string,
  limit: number,
  parameters: Parameters,
): Promise<readonly ItemSummary[]> {
  const rows = await clickhouse.select<ItemRow>(
    `SELECT ${ITEM_ROW_COLUMNS} FROM pagespan_items WHERE ${where} AND ${YOUNG_ENOUGH}
    ORDER BY Time, ItemId ${ONCE} LIMIT ${limit} ${LIMITS}`,
    parameters,
  )
  return rows.map(toItemSummary)
}
