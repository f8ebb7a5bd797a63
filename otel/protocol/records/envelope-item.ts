import type { DropRecord } from "./drop.ts"
import type { SpanId, TraceId } from "./ids.ts"
import type { Nanoseconds } from "./time.ts"

/**
 * An item of a Sentry envelope, kept as it came: what has no record of its own (attachments, feedback, check-ins,
 * sessions, replays, profiles, whatever is unknown), and the events that errors and spans were read from.
 *
 * @see https://develop.sentry.dev/sdk/data-model/envelope-items/
 */
export interface ItemRecord {
  /** A transaction's event id, or made from the item itself, 32 hexadecimal digits: the same item sent twice has the same one. */
  readonly itemId: string
  /** As its header names it. */
  readonly type: string
  /** When it says that it happened; when it arrived, where it does not say. */
  readonly time: Nanoseconds
  /** The event that it is, or came with. */
  readonly eventId: string | undefined
  /** Another event that it tells of: the error that a feedback is about. */
  readonly aboutEventId: string | undefined
  readonly traceId: TraceId | undefined
  readonly spanId: SpanId | undefined
  readonly service: string
  readonly environment: string
  readonly release: string
  /** Name and version of the SDK that sent it; empty where the envelope does not say. */
  readonly sdk: string
  /** What a person asks of it first, by name: a feedback's message, a check-in's monitor. In the order of importance. */
  readonly facts: readonly ItemFact[]
  /** Of attachments, as their headers say; empty where they do not. */
  readonly contentType: string
  readonly fileName: string
  readonly attachmentType: string
  /** Of the payload as it came, which may be more than is kept of it. */
  readonly byteLength: number
  /** The bytes as they came, the first `ITEM_PAYLOAD_LIMIT_BYTES` of them. */
  readonly payload: Uint8Array
  /** What was cut and refused of it when it was read, so that a screen can say so beside it. */
  readonly cuts: readonly ItemCut[]
}

export type ItemFact = readonly [name: string, text: string]
export type ItemCut = Pick<DropRecord, "reason" | "count" | "sample">

/** Items that have records of their own beside them: an error, or the spans of a transaction. */
export const EVENT_ITEM_TYPES = ["event", "transaction"] as const

export function isEventItem({ type }: Pick<ItemRecord, "type">): boolean {
  return (EVENT_ITEM_TYPES as readonly string[]).includes(type)
}
