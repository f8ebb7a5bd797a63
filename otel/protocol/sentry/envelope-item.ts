import { createHash } from "node:crypto"
import { ITEM_PAYLOAD_LIMIT_BYTES } from "../limits.ts"
import { categoryOfItem } from "../records/drop.ts"
import type { ItemRecord } from "../records/envelope-item.ts"
import type { ErrorEvent } from "../records/error.ts"
import { recordId } from "../records/ids.ts"
import { serviceName, type SpanRecord } from "../records/span.ts"
import { itemFacts } from "./item-facts.ts"
import type { ItemReader } from "./item-reader.ts"
import { type JsonObject, objectOf, parseObject, textOf } from "./json.ts"
import { eventIdOf } from "./read-event.ts"
import { readTime, spanIdOf, traceIdOf } from "./read-fields.ts"
import { originOfEvent, resourceOfEvent, type SdkFacts, sdkOf } from "./read-origin.ts"
import { withoutSpans } from "./read-transaction.ts"
import type { EnvelopeItem } from "./split-envelope.ts"

/** What an item inherits from its envelope. */
export interface ItemContext {
  readonly header: JsonObject
  readonly sdk: SdkFacts
  readonly eventId: string | undefined
  /** The preceding event of the envelope. An attachment has its time, origin and trace. */
  readonly event: ItemRecord | undefined
}

/** Larger payloads are not parsed. No item with facts is nearly as large. */
const PARSED_BYTES = 256 * 1024
const OPENING_BRACE = 0x7b

/** An item without another record. If the payload is a JSON object, its facts are read. */
export function toItemRecord(reader: ItemReader, item: EnvelopeItem, context: ItemContext): ItemRecord {
  const { header, payload } = item
  const type = reader.text(item.type, "an item's type")
  const content = contentOf(type, payload)
  const relations = relationsOf(type, content, context)
  const time = readTime(content["timestamp"]) ?? context.event?.time
  const fileName = reader.text(header["filename"], "a file name")
  return {
    itemId: hashOf([type, relations.eventId ?? "", fileName], payload),
    type,
    time: time === undefined || time > reader.latest ? reader.receivedAt : time,
    ...relations,
    ...originOfItem(reader, content, context),
    facts: itemFacts(type, header, content),
    contentType: reader.text(header["content_type"], "a content type"),
    fileName,
    attachmentType: reader.text(header["attachment_type"], "an attachment type"),
    byteLength: payload.length,
    payload: withinLimit(reader, type, payload),
    cuts: reader.tally.list(),
  }
}

type Relations = Pick<ItemRecord, "eventId" | "aboutEventId" | "traceId" | "spanId">

/** Its event and trace, from the item itself, else from its envelope. */
function relationsOf(type: string, content: JsonObject, { header, eventId, event }: ItemContext): Relations {
  const ownId = eventIdOf(content["event_id"])
  const trace = objectOf(objectOf(content["contexts"])["trace"])
  const traceId = traceIdOf(trace["trace_id"] ?? content["trace_id"] ?? objectOf(content["transaction"])["trace_id"])
  // The event id of such a report is the event that it is about.
  const isReport = type === "user_report"
  return {
    eventId: (isReport ? undefined : ownId) ?? eventId,
    aboutEventId: isReport ? ownId : aboutEvent(content),
    traceId: traceId ?? event?.traceId ?? traceIdOf(objectOf(header["trace"])["trace_id"]),
    spanId: spanIdOf(trace["span_id"]),
  }
}

type Origin = Pick<ItemRecord, "service" | "environment" | "release" | "sdk">

function originOfItem(reader: ItemReader, content: JsonObject, { sdk, event }: ItemContext): Origin {
  // Sessions have these fields in `attrs`.
  const origin = originOfEvent(reader, { ...objectOf(content["attrs"]), ...content }, sdk)
  return {
    service: event?.service ?? serviceName(resourceOfEvent(reader, content, origin)),
    environment: origin.environment || (event?.environment ?? ""),
    release: origin.release || (event?.release ?? ""),
    sdk: sdkText(origin.sdk),
  }
}

/** The event of an error, as received. */
export function errorEventItem(
  reader: ItemReader,
  error: ErrorEvent,
  event: JsonObject,
  payload: Uint8Array,
  { sdk }: ItemContext,
): ItemRecord {
  return {
    ...EVENT,
    itemId: recordId("event", error.eventId),
    type: "event",
    time: error.time,
    eventId: error.eventId,
    traceId: error.traceId,
    spanId: error.spanId,
    service: error.service,
    environment: error.environment,
    release: error.release,
    sdk: sdkText(sdkOf(reader, event, sdk)),
    byteLength: payload.length,
    payload: withinLimit(reader, "event", payload),
    cuts: reader.tally.list(),
  }
}

/** The event of a transaction, with the number of its spans in their place, since spans are stored separately. */
export function transactionEventItem(
  reader: ItemReader,
  [first]: readonly SpanRecord[],
  event: JsonObject,
  payload: Uint8Array,
  { sdk, ...context }: ItemContext,
): ItemRecord {
  const eventId = eventIdOf(event["event_id"]) ?? context.eventId
  const { spans } = event
  const own = Array.isArray(spans) ? withoutSpans(payload, spans.length) : payload
  const { trace_id, span_id } = objectOf(objectOf(event["contexts"])["trace"])
  return {
    ...EVENT,
    itemId:
      eventId ?? recordId("transaction", textOf(trace_id), textOf(span_id), JSON.stringify(event["timestamp"] ?? "")),
    type: "transaction",
    time: first?.startTime ?? reader.receivedAt,
    eventId,
    traceId: traceIdOf(trace_id),
    spanId: spanIdOf(span_id),
    service: first === undefined ? "" : serviceName(first.resource),
    environment: reader.text(event["environment"], "environment"),
    release: reader.text(event["release"], "release"),
    sdk: sdkText(sdkOf(reader, event, sdk)),
    byteLength: payload.length,
    payload: withinLimit(reader, "transaction", own),
    cuts: reader.tally.list(),
  }
}

/** The fields that an event does not have. */
const EVENT = { aboutEventId: undefined, facts: [], contentType: "", fileName: "", attachmentType: "" } as const
const NOTHING: JsonObject = Object.freeze({})

function contentOf(type: string, payload: Uint8Array): JsonObject {
  const isParsed = type !== "attachment" && payload[0] === OPENING_BRACE && payload.length <= PARSED_BYTES
  return (isParsed ? parseObject(payload) : undefined) ?? NOTHING
}

/** The error that a feedback is about, or the transaction that was profiled. */
function aboutEvent({ contexts, transaction }: JsonObject): string | undefined {
  const { associated_event_id } = objectOf(objectOf(contexts)["feedback"])
  return eventIdOf(associated_event_id) ?? eventIdOf(objectOf(transaction)["id"])
}

function sdkText({ name, version }: SdkFacts): string {
  return `${name} ${version}`.trim()
}

function withinLimit(reader: ItemReader, type: string, payload: Uint8Array): Uint8Array {
  if (payload.length <= ITEM_PAYLOAD_LIMIT_BYTES) return payload
  const sample = `an item of ${payload.length} bytes, of which the first ${ITEM_PAYLOAD_LIMIT_BYTES} are stored`
  reader.reject("too_large", categoryOfItem(type), sample)
  // A copy, since a view would keep the whole envelope in memory.
  return Uint8Array.from(payload.subarray(0, ITEM_PAYLOAD_LIMIT_BYTES))
}

/** The id of an item without one, from its content. */
function hashOf(parts: readonly string[], payload: Uint8Array): string {
  const hash = createHash("md5")
  for (const part of parts) hash.update(`${part.length}:${part}`)
  return hash.update(payload).digest("hex")
}
