import type { AttributeValue } from "../../model/attributes.ts"
import type { InstrumentationScope, Resource, SpanRecord } from "../../model/span.ts"
import type { ItemReader } from "./item-reader.ts"
import { isObject, type JsonObject, objectOf } from "./parse-json.ts"
import { readTime } from "./read-time.ts"
import { kindOf, readLinks, spanIdOf, statusOf, traceIdOf } from "./read-trace-context.ts"

export interface SpanOrigin {
  readonly resource: Resource
  readonly scope: InstrumentationScope
}

/** Sampled, as far as W3C is concerned: an SDK sends nothing else. */
const SAMPLED = 1
const NONE_DROPPED = { attributes: 0, events: 0, links: 0 } as const

/** Fields of a span that have a name of their own in Sentry's protocol, with their attribute. */
const FIELD_ATTRIBUTES = [
  ["op", "sentry.op"],
  ["origin", "sentry.origin"],
  ["exclusive_time", "sentry.exclusive_time"],
  ["profile_id", "sentry.profile_id"],
] as const

/**
 * A span of Sentry's first span protocol: a child in a transaction, a transaction's own trace context, or a `span` item.
 * Rejected, and counted, when its ids or times are not valid: the rules are those of OTLP.
 */
export function readSpanV1(reader: ItemReader, raw: unknown, name: string, origin: SpanOrigin): SpanRecord | undefined {
  if (!isObject(raw)) return rejected(reader, "a span is not an object")
  const identity = readIdentity(reader, raw, raw["timestamp"])
  if (identity === undefined) return undefined
  const op = reader.text(raw["op"], "op")
  const data = objectOf(raw["data"])
  const attributes = reader.attributes(raw["data"], "span data")
  addFields(reader, attributes, raw)
  addMeasurements(reader, attributes, raw["measurements"])
  reader.addAttributes(attributes, prefixed("sentry.tag.", raw["tags"]), "span tags")
  return {
    ...identity,
    name: name || op,
    kind: kindOf(data["otel.kind"] ?? data["sentry.kind"] ?? raw["kind"], op),
    status: statusOf(reader.text(raw["status"], "status")),
    attributes,
    links: readLinks(reader, raw["links"], (link) => reader.attributes(link["attributes"], "link attributes")),
    ...origin,
  }
}

function addFields(reader: ItemReader, attributes: Map<string, AttributeValue>, raw: JsonObject): void {
  const told = FIELD_ATTRIBUTES.filter(([field, name]) => raw[field] !== undefined && !attributes.has(name))
  reader.addAttributes(
    attributes,
    told.map(([field, name]) => [name, raw[field]] as const),
    "span fields",
  )
}

/** `{ lcp: { value, unit } }` → `sentry.measurement.lcp`. */
export function addMeasurements(reader: ItemReader, attributes: Map<string, AttributeValue>, value: unknown): void {
  const values = Object.entries(objectOf(value)).map(([name, told]) => [name, objectOf(told)["value"]] as const)
  const numbers = values.filter(([, number]) => typeof number === "number")
  reader.addAttributes(
    attributes,
    numbers.map(([name, number]) => [`sentry.measurement.${name}`, number]),
    "measurements",
  )
}

/** Tags come as an object, or as pairs from older SDKs. */
export function prefixed(prefix: string, tags: unknown): [string, unknown][] {
  const pairs = Array.isArray(tags) ? tags.filter((pair) => Array.isArray(pair)) : Object.entries(objectOf(tags))
  return pairs.map((pair: unknown[]) => [`${prefix}${String(pair[0])}`, pair[1]])
}

/** Ids and times, and what no span of Sentry's says. */
export function readIdentity(reader: ItemReader, raw: JsonObject, end: unknown) {
  const traceId = traceIdOf(raw["trace_id"])
  const spanId = spanIdOf(raw["span_id"])
  if (traceId === undefined) return rejected(reader, "a span's trace_id is not 16 bytes that are not all zero")
  if (spanId === undefined) return rejected(reader, "a span's span_id is not 8 bytes that are not all zero")
  const startTime = readTime(raw["start_timestamp"])
  const endTime = readTime(end)
  if (startTime === undefined || endTime === undefined) return rejected(reader, "a span has no start or no end")
  if (endTime < startTime) return rejected(reader, "a span ends before it starts")
  if (startTime > reader.latest) return rejected(reader, "a span starts in the future")
  return {
    traceId,
    spanId,
    parentSpanId: spanIdOf(raw["parent_span_id"]),
    traceState: "",
    flags: SAMPLED,
    startTime,
    endTime,
    events: [],
    dropped: NONE_DROPPED,
    source: "sentry",
  } as const
}

function rejected(reader: ItemReader, why: string): undefined {
  reader.reject("invalid", "span", why)
  return undefined
}
