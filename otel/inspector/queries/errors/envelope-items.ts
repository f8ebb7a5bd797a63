import type { ItemRecord } from "../../../protocol/records/envelope-item.ts"
import type { SpanId, TraceId } from "../../../protocol/records/ids.ts"
import { fromCursor } from "../list/list-cursor.ts"
import { ParameterReader } from "../list/parameter-reader.ts"

/** An item without its payload. */
export type ItemSummary = Omit<ItemRecord, "payload">

export interface ItemListQuery {
  /** At most this many items. */
  readonly limit: number
  /** Only items of this type. Default: all except the events that errors and spans were read from. */
  readonly type?: string | undefined
  /** Cursor: `next` of the previous page. */
  readonly after?: string | undefined
}

/** Newest first. */
export interface ItemList {
  readonly items: readonly ItemSummary[]
  readonly next: string | undefined
}

export interface ItemTypeCount {
  readonly type: string
  readonly count: number
}

/** The store's queries about envelope items. Methods reject with `StoreUnavailable` while the store is unavailable. */
export interface EnvelopeItemReader {
  listItems(query: ItemListQuery): Promise<ItemList>
  /** Items of each type, most first, except the events that errors and spans were read from. */
  countItems(): Promise<readonly ItemTypeCount[]>
  /** The event's own item and those that came with it, with feedback about it, or refer to it, by time; at most 200. */
  readItemsOfEvent(eventId: string): Promise<readonly ItemSummary[]>
  /** Transaction events whose root is one of these spans, by time. */
  readEventsOfSpans(traceId: TraceId, spanIds: readonly SpanId[]): Promise<readonly ItemSummary[]>
  /** The item with its payload; `undefined` when the item is unknown. */
  readItem(itemId: string): Promise<ItemRecord | undefined>
}

const PAGE_SIZE = 100
const PAGE_LIMIT = 1_000

interface ParsedItemListQuery {
  readonly query: ItemListQuery
  /** Why `after` is invalid: the notice with which the read API refuses it. */
  readonly refusal: string | undefined
  readonly notices: readonly string[]
}

/** Query parameters of `GET /api/items`: `type`, `limit`, `after`. */
export function parseItemListQuery(parameters: URLSearchParams): ParsedItemListQuery {
  const reader = new ParameterReader(parameters)
  const query = {
    limit: reader.limit(PAGE_SIZE, PAGE_LIMIT),
    after: reader.cursor((text) => fromCursor("items", text) !== undefined),
    type: reader.text("type"),
  }
  return { query, refusal: reader.refusal, notices: reader.notices }
}

type PlainParts = Pick<
  ItemRecord,
  | "itemId"
  | "type"
  | "service"
  | "environment"
  | "release"
  | "sdk"
  | "facts"
  | "contentType"
  | "fileName"
  | "attachmentType"
  | "byteLength"
  | "cuts"
>

/** An envelope item as `GET /api/items` answers it, without its payload. The time is nanoseconds as text. */
export interface ItemJson extends PlainParts {
  readonly time: string
  readonly eventId: string | null
  readonly aboutEventId: string | null
  readonly traceId: string | null
  readonly spanId: string | null
}

export function itemToJson(item: Omit<ItemRecord, "payload">): ItemJson {
  const { time, eventId, aboutEventId, traceId, spanId, ...plain } = item
  return {
    ...plain,
    time: String(time),
    eventId: eventId ?? null,
    aboutEventId: aboutEventId ?? null,
    traceId: traceId ?? null,
    spanId: spanId ?? null,
  }
}
