import { isUtf8 } from "node:buffer"
import type { ItemRecord } from "../../../protocol/records/envelope-item.ts"
import type { SpanId, TraceId } from "../../../protocol/records/ids.ts"
import type { ItemSummary } from "../../queries/errors/envelope-items.ts"
import { fromNanosText, toTimestampText } from "./stored-values.ts"

type Encoding = "utf-8" | "base64"
/** The parts of an item without a column of their own. */
type ItemDetail = Pick<ItemRecord, "facts" | "cuts">

/** Longer text is stored as base64: JSON can take six bytes per byte, which would exceed one insert. */
const TEXT_LIMIT_BYTES = 1024 * 1024

/** The row of `pagespan_items`. */
export function toItemRow(item: ItemRecord): object {
  const { facts, cuts, payload } = item
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.length)
  const encoding: Encoding = bytes.length <= TEXT_LIMIT_BYTES && isUtf8(bytes) ? "utf-8" : "base64"
  const detail: ItemDetail = { facts, cuts }
  return {
    Time: toTimestampText(item.time),
    Type: item.type,
    ItemId: item.itemId,
    EventId: item.eventId ?? "",
    AboutEventId: item.aboutEventId ?? "",
    TraceId: item.traceId ?? "",
    SpanId: item.spanId ?? "",
    ServiceName: item.service,
    Environment: item.environment,
    Release: item.release,
    Sdk: item.sdk,
    ContentType: item.contentType,
    FileName: item.fileName,
    AttachmentType: item.attachmentType,
    ByteLength: item.byteLength,
    Encoding: encoding,
    Payload: bytes.toString(encoding),
    Detail: facts.length + cuts.length === 0 ? "" : JSON.stringify(detail),
  }
}

/** A row of `pagespan_items` as the columns below select it. */
export interface ItemRow {
  readonly time: string
  readonly type: string
  readonly itemId: string
  readonly eventId: string
  readonly aboutEventId: string
  readonly traceId: string
  readonly spanId: string
  readonly service: string
  readonly environment: string
  readonly release: string
  readonly sdk: string
  readonly contentType: string
  readonly fileName: string
  readonly attachmentType: string
  readonly byteLength: string
  readonly detail: string
}

export const ITEM_ROW_COLUMNS = `
  toString(toUnixTimestamp64Nano(Time)) AS time, Type AS type, ItemId AS itemId, EventId AS eventId,
  AboutEventId AS aboutEventId, TraceId AS traceId, SpanId AS spanId, ServiceName AS service,
  Environment AS environment, Release AS release, Sdk AS sdk, ContentType AS contentType, FileName AS fileName,
  AttachmentType AS attachmentType, toString(ByteLength) AS byteLength, Detail AS detail`

export interface PayloadRow {
  readonly encoding: Encoding
  readonly payload: string
}

export const PAYLOAD_COLUMNS = "Encoding AS encoding, Payload AS payload"

export function toPayload({ encoding, payload }: PayloadRow): Uint8Array {
  return Buffer.from(payload, encoding)
}

/** Only `toItemRow` writes this table, so the casts are safe. */
export function toItemSummary(row: ItemRow): ItemSummary {
  const { detail, ...columns } = row
  const { facts, cuts } = detail === "" ? NO_DETAIL : (JSON.parse(detail) as ItemDetail)
  return {
    itemId: columns.itemId,
    type: columns.type,
    time: fromNanosText(columns.time),
    eventId: columns.eventId || undefined,
    aboutEventId: columns.aboutEventId || undefined,
    traceId: (columns.traceId || undefined) as TraceId | undefined,
    spanId: (columns.spanId || undefined) as SpanId | undefined,
    service: columns.service,
    environment: columns.environment,
    release: columns.release,
    sdk: columns.sdk,
    facts,
    contentType: columns.contentType,
    fileName: columns.fileName,
    attachmentType: columns.attachmentType,
    byteLength: Number(columns.byteLength),
    cuts,
  }
}

const NO_DETAIL: ItemDetail = { facts: [], cuts: [] }
