import { TRANSACTION_SPAN_LIMIT } from "../../model/limits.ts"
import type { SpanRecord } from "../../model/span.ts"
import type { ItemReader } from "./item-reader.ts"
import { isObject, type JsonObject, objectOf } from "./parse-json.ts"
import { originOfEvent, readScope, resourceOfEvent, type SdkFacts } from "./read-origin.ts"
import { addMeasurements, prefixed, readSpanV1, type SpanOrigin } from "./read-span.ts"

/** What Sentry calls a transaction that was never named. */
const UNNAMED = "<unlabeled transaction>"
/** Twice what an SDK sends: OpenTelemetry bridges do not always cut. */
const CHILD_LIMIT = 10 * TRANSACTION_SPAN_LIMIT

/**
 * A transaction event as the spans that it is made of: its trace context is the root, its `spans` are the children. Ids
 * stay what they are, so that a span that also came by OTLP is one span from two sources. A child that is not valid is
 * left out and counted; a root that is not valid costs itself alone.
 *
 * @see https://develop.sentry.dev/sdk/data-model/event-payloads/transaction/
 */
export function readTransaction(reader: ItemReader, event: JsonObject, headerSdk: SdkFacts): SpanRecord[] {
  const facts = originOfEvent(reader, event, headerSdk)
  const origin: SpanOrigin = { resource: resourceOfEvent(reader, event, facts), scope: readScope(facts.sdk) }
  const children = Array.isArray(event["spans"]) ? event["spans"] : []
  const excess = children.length - CHILD_LIMIT
  if (excess > 0) reader.reject("limit_spans", "span", `spans of a transaction past ${CHILD_LIMIT}`, excess)
  const trace = objectOf(objectOf(event["contexts"])["trace"])
  const root = readRoot(reader, event, trace, origin)
  const spans = root === undefined ? [] : [root]
  for (const child of children.slice(0, CHILD_LIMIT)) {
    const span = readSpanV1(reader, withTraceId(child, trace), nameOf(reader, child), origin)
    if (span !== undefined) spans.push(span)
  }
  return spans
}

function readRoot(
  reader: ItemReader,
  event: JsonObject,
  trace: JsonObject,
  origin: SpanOrigin,
): SpanRecord | undefined {
  const { start_timestamp, timestamp } = event
  const name = reader.text(event["transaction"], "transaction") || UNNAMED
  const root = readSpanV1(reader, { ...trace, start_timestamp, timestamp }, name, origin)
  if (root === undefined) return undefined
  const attributes = new Map(root.attributes)
  const { source } = objectOf(event["transaction_info"])
  if (typeof source === "string" && !attributes.has("sentry.source"))
    attributes.set("sentry.source", reader.text(source, "transaction_info.source"))
  addMeasurements(reader, attributes, event["measurements"])
  reader.addAttributes(attributes, prefixed("sentry.tag.", event["tags"]), "transaction tags")
  return { ...root, attributes }
}

/** A span may have a description beside its name, which is then an attribute. */
function nameOf(reader: ItemReader, child: unknown): string {
  if (!isObject(child)) return ""
  return (
    reader.text(objectOf(child["data"])["sentry.name"], "sentry.name") ||
    reader.text(child["description"], "description")
  )
}

/** Old SDKs leave a child's trace id to the transaction. */
function withTraceId(child: unknown, { trace_id }: JsonObject): unknown {
  return isObject(child) && child["trace_id"] === undefined ? { ...child, trace_id } : child
}
