import type { DropRecord } from "./drop.ts"
import type { SpanId, TraceId } from "./ids.ts"
import type { Nanoseconds } from "./time.ts"

/**
 * An item of a Sentry envelope with its payload. Items without another record (attachments, feedback, check-ins,
 * sessions, replays, profiles, unknown types), and the events that became errors and spans.
 *
 * @see https://develop.sentry.dev/sdk/data-model/envelope-items/
 */
export interface ItemRecord {
  /** 32 hexadecimal digits: the event id of a transaction, else a hash of the item. A retried item has the same id. */
  readonly itemId: string
  /** The `type` of the item header. */
  readonly type: string
  /** Its own timestamp, else the time of arrival. */
  readonly time: Nanoseconds
  /** The event that it is, or that its envelope holds. */
  readonly eventId: string | undefined
  /** Another event that it refers to: the error that a feedback is about. */
  readonly aboutEventId: string | undefined
  readonly traceId: TraceId | undefined
  readonly spanId: SpanId | undefined
  readonly service: string
  readonly environment: string
  readonly release: string
  /** Name and version of the SDK; empty if the envelope has none. */
  readonly sdk: string
  /** Its main values by name, the most important first: a feedback's message, a check-in's monitor. */
  readonly facts: readonly ItemFact[]
  /** From an attachment's header; empty if absent. */
  readonly contentType: string
  readonly fileName: string
  readonly attachmentType: string
  /** Size of the payload before it was cut. */
  readonly byteLength: number
  /** The first `ITEM_PAYLOAD_LIMIT_BYTES` bytes of the payload. */
  readonly payload: Uint8Array
  /** What was cut from it, for its screen. */
  readonly cuts: readonly ItemCut[]
}

export type ItemFact = readonly [name: string, text: string]
export type ItemCut = Pick<DropRecord, "reason" | "count" | "sample">

/** Items that also become other records: an error, or the spans of a transaction. */
export const EVENT_ITEM_TYPES = ["event", "transaction"] as const

export function isEventItem({ type }: Pick<ItemRecord, "type">): boolean {
  return (EVENT_ITEM_TYPES as readonly string[]).includes(type)
}
