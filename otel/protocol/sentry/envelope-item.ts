import { createHash } from "node:crypto"
import { ITEM_PAYLOAD_LIMIT_BYTES } from "../limits.ts"
import { categoryOfItem } from "../records/drop.ts"
import type { ItemRecord } from "../records/envelope-item.ts"
import type { ErrorEvent } from "../records/error.ts"
import { recordId } from "../records/ids.ts"
import { serviceName, type SpanRecord } from "../records/span.ts"
import { itemFacts } from "./item-facts.ts"
import type { ItemReader } from "./item-reader.ts"
import { type JsonObject, objectOf, parseObject } from "./json.ts"
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
  /** The event that came before it in the envelope: an attachment is of its time, place and trace. */
  readonly event: ItemRecord | undefined
}

/** A payload that is larger is not looked into: no kind that tells something of itself comes near. */
const LOOKED_INTO_BYTES = 256 * 1024
const OPENING_BRACE = 0x7b

/** An item without another record. If the payload is a JSON object, its facts are read. */
export function toItemRecord(reader: ItemReader, item: EnvelopeItem, around: ItemContext): ItemRecord {
  const { header, payload } = item
  const type = reader.text(item.type, "an item's type")
  const content = lookInto(type, payload)
  const relations = relationsOf(type, content, around)
  const time = readTime(content["timestamp"]) ?? around.event?.time
  const fileName = reader.text(header["filename"], "a file name")
  return {
    itemId: hashOf([type, relations.eventId ?? "", fileName], payload),
    type,
    time: time === undefined || time > reader.latest ? reader.receivedAt : time,
    ...relations,
    ...originOfItem(reader, content, around),
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

/** What it belongs to, as it says itself, or else as what it came with says. */
function relationsOf(type: string, content: JsonObject, { header, eventId, event }: ItemContext): Relations {
  const ownId = eventIdOf(content["event_id"])
  const trace = objectOf(objectOf(content["contexts"])["trace"])
  const traceId = traceIdOf(trace["trace_id"] ?? content["trace_id"] ?? objectOf(content["transaction"])["trace_id"])
  // Such a report names no event but the one that it is about.
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
  // Sessions tell in `attrs` what events tell themselves.
  const origin = originOfEvent(reader, { ...objectOf(content["attrs"]), ...content }, sdk)
  return {
    service: event?.service ?? serviceName(resourceOfEvent(reader, content, origin)),
    environment: origin.environment || (event?.environment ?? ""),
    release: origin.release || (event?.release ?? ""),
    sdk: sdkText(origin.sdk),
  }
}

/** The event that an error was read from, as it came. */
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

/** The event that spans were read from, with their number in place of its children: those are rows of their own. */
export function transactionEventItem(
  reader: ItemReader,
  [first]: readonly SpanRecord[],
  event: JsonObject,
  payload: Uint8Array,
  { sdk, ...around }: ItemContext,
): ItemRecord {
  const eventId = eventIdOf(event["event_id"]) ?? around.eventId
  const { spans } = event
  const own = Array.isArray(spans) ? withoutSpans(payload, spans.length) : payload
  const { trace_id, span_id } = objectOf(objectOf(event["contexts"])["trace"])
  return {
    ...EVENT,
    itemId: eventId ?? recordId("transaction", String(trace_id), String(span_id), String(event["timestamp"])),
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

/** What an event does not have. */
const EVENT = { aboutEventId: undefined, facts: [], contentType: "", fileName: "", attachmentType: "" } as const
const NOTHING: JsonObject = Object.freeze({})

function lookInto(type: string, payload: Uint8Array): JsonObject {
  const isWorthIt = type !== "attachment" && payload[0] === OPENING_BRACE && payload.length <= LOOKED_INTO_BYTES
  return (isWorthIt ? parseObject(payload) : undefined) ?? NOTHING
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
  const sample = `an item of ${payload.length} bytes, of which the first ${ITEM_PAYLOAD_LIMIT_BYTES} are kept`
  reader.reject("too_large", categoryOfItem(type), sample)
  // A copy: a view would keep all of the envelope in memory.
  return Uint8Array.from(payload.subarray(0, ITEM_PAYLOAD_LIMIT_BYTES))
}

/** Names an item that has no id: by all that it says. */
function hashOf(parts: readonly string[], payload: Uint8Array): string {
  const hash = createHash("md5")
  for (const part of parts) hash.update(`${part.length}:${part}`)
  return hash.update(payload).digest("hex")
}
