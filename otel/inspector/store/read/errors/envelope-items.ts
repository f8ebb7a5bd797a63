import { EVENT_ITEM_TYPES, type ItemRecord } from "../../../../protocol/records/envelope-item.ts"
import type { SpanId, TraceId } from "../../../../protocol/records/ids.ts"
import { nanoseconds } from "../../../../protocol/records/time.ts"
import type { ItemList, ItemListQuery, ItemSummary, ItemTypeCount } from "../../../queries/errors/envelope-items.ts"
import { fromCursor, toCursor } from "../../../queries/list/list-cursor.ts"
import type { Parameters } from "../../clickhouse.ts"
import {
  ITEM_ROW_COLUMNS,
  type ItemRow,
  PAYLOAD_COLUMNS,
  type PayloadRow,
  toItemSummary,
  toPayload,
} from "../../rows/item-row.ts"
import { LATEST_TIME, storableTime } from "../../rows/stored-values.ts"
import { type ReadContext, readLimits } from "../context.ts"

/** Items of a page at most. */
const PAGE_LIMIT = 1_000
/** Item types that are counted. Clients name them, so their number is unbounded. */
const TYPE_LIMIT = 100
/** Items of one event at most. */
const OF_EVENT = 200
/** Transactions of the spans of one path at most. */
const OF_SPANS = 200
const LIMITS = readLimits({ seconds: 10, rows: PAGE_LIMIT + 1 })

const IN_RETENTION = "Time >= fromUnixTimestamp64Nano({oldest:Int64})"
/** An item has one row for each time that a client sent it. */
const ONCE = "LIMIT 1 BY ItemId"
const LISTED = "(Type = {type:String} OR ({type:String} = '' AND Type NOT IN {events:Array(String)}))"

/** A subquery finds the page by the two columns that order it; the outer query reads its rows. */
export async function listItems(context: ReadContext, query: ItemListQuery): Promise<ItemList> {
  const limit = Math.min(Math.max(1, Math.trunc(query.limit)), PAGE_LIMIT)
  const after = query.after === undefined ? undefined : fromCursor("items", query.after)
  const rows = await context.clickhouse.select<ItemRow>(
    `SELECT ${ITEM_ROW_COLUMNS} FROM pagespan_items
    WHERE ${IN_RETENTION} AND ${LISTED} AND ItemId IN (
      SELECT ItemId FROM pagespan_items WHERE ${IN_RETENTION} AND ${LISTED}
        AND (Time, ItemId) < (fromUnixTimestamp64Nano({afterTime:Int64}), {afterId:String})
      ORDER BY Time DESC, ItemId DESC ${ONCE} LIMIT {limit:UInt32})
    ORDER BY Time DESC, ItemId DESC ${ONCE} LIMIT {limit:UInt32} ${LIMITS}`,
    {
      oldest: String(context.oldest),
      type: query.type ?? "",
      events: EVENT_ITEM_TYPES,
      afterTime: String(storableTime(nanoseconds(after?.value ?? LATEST_TIME))),
      afterId: after?.id ?? "~",
      limit: limit + 1,
    },
  )
  const items = rows.slice(0, limit).map(toItemSummary)
  const end = items.at(-1)
  return {
    items,
    next: rows.length > limit && end ? toCursor("items", { value: end.time, id: end.itemId }) : undefined,
  }
}

export async function countItems(context: ReadContext): Promise<readonly ItemTypeCount[]> {
  const rows = await context.clickhouse.select<{ type: string; count: string }>(
    `SELECT Type AS type, toString(uniqExact(ItemId)) AS count FROM pagespan_items
    WHERE ${IN_RETENTION} AND Type NOT IN {events:Array(String)}
    GROUP BY Type ORDER BY uniqExact(ItemId) DESC, Type LIMIT ${TYPE_LIMIT} ${LIMITS}`,
    { oldest: String(context.oldest), events: EVENT_ITEM_TYPES },
  )
  return rows.map(({ type, count }) => ({ type, count: Number(count) }))
}

export async function readItemsOfEvent(context: ReadContext, eventId: string): Promise<readonly ItemSummary[]> {
  const items = await select(context, "(EventId = {id:String} OR AboutEventId = {id:String})", OF_EVENT, {
    id: eventId,
    oldest: String(context.oldest),
  })
  // A feedback is an event of its own, and its screenshots belong to that event.
  const feedbacks = items.flatMap((item) => (item.aboutEventId === eventId && item.eventId ? [item.eventId] : []))
  if (feedbacks.length === 0) return items
  const theirs = await select(context, "EventId IN {ids:Array(String)}", OF_EVENT, {
    ids: feedbacks,
    oldest: String(context.oldest),
  })
  const known = new Set(items.map(({ itemId }) => itemId))
  return [...items, ...theirs.filter(({ itemId }) => !known.has(itemId))]
}

export function readEventsOfSpans(
  context: ReadContext,
  traceId: TraceId,
  spanIds: readonly SpanId[],
): Promise<readonly ItemSummary[]> {
  const where = "Type = 'transaction' AND TraceId = {traceId:String} AND SpanId IN {spanIds:Array(String)}"
  return select(context, where, OF_SPANS, { traceId, spanIds, oldest: String(context.oldest) })
}

export async function readItem(context: ReadContext, itemId: string): Promise<ItemRecord | undefined> {
  const [row] = await context.clickhouse.select<ItemRow & PayloadRow>(
    `SELECT ${ITEM_ROW_COLUMNS}, ${PAYLOAD_COLUMNS} FROM pagespan_items
    WHERE ItemId = {itemId:String} AND ${IN_RETENTION} LIMIT 1 ${LIMITS}`,
    { itemId, oldest: String(context.oldest) },
  )
  return row && { ...toItemSummary(row), payload: toPayload(row) }
}

async function select(
  context: ReadContext,
  where: string,
  limit: number,
  parameters: Parameters,
): Promise<readonly ItemSummary[]> {
  const rows = await context.clickhouse.select<ItemRow>(
    `SELECT ${ITEM_ROW_COLUMNS} FROM pagespan_items WHERE ${where} AND ${IN_RETENTION}
    ORDER BY Time, ItemId ${ONCE} LIMIT ${limit} ${LIMITS}`,
    parameters,
  )
  return rows.map(toItemSummary)
}
