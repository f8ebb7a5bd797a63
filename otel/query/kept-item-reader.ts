import type { SpanId, TraceId } from "../model/ids.ts"
import type { KeptItem } from "../model/kept-item.ts"

/** An item without its payload, which is read by its id when somebody asks for it. */
export type ItemSummary = Omit<KeptItem, "payload">

export interface ItemListQuery {
  /** At most this many items. */
  readonly limit: number
  /** Only items of this type. None: all but the events that errors and spans were read from. */
  readonly type?: string | undefined
  /** Cursor from a previous answer's `next`. */
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

/** What screens and the read API ask of the store about envelope items. Rejects with `StoreUnavailable` while it is away. */
export interface KeptItemReader {
  listItems(query: ItemListQuery): Promise<ItemList>
  /** How many of each type there are, the most first, without the events that errors and spans were read from. */
  countItems(): Promise<readonly ItemTypeCount[]>
  /** The event itself and what came with it or tells of it, by time, at most 200; also what came with a feedback about it. */
  readItemsOfEvent(eventId: string): Promise<readonly ItemSummary[]>
  /** Transaction events whose root is one of these spans, by time. */
  readEventsOfSpans(traceId: TraceId, spanIds: readonly SpanId[]): Promise<readonly ItemSummary[]>
  /** The item with its payload; `undefined` when it is unknown. */
  readItem(itemId: string): Promise<KeptItem | undefined>
}
