import type { Attributes } from "../../model/attributes.ts"
import { serviceName, type SpanRecord } from "../../model/span.ts"
import { attributesJson, quote } from "./attributes-json.ts"
import { type AttributeTypes, type ExactAttributes, typesOfBag } from "./attribute-types.ts"
import { kindWord, statusWord } from "./span-words.ts"
import { toDurationText, toTimestampText } from "./timestamp.ts"

/**
 * A span record in its two rows: the collector's, and ours with what the collector's columns leave out. A row is a line
 * of `JSONCompactEachRow`, put together as text: as objects rows took twice the time, and with column names in each row
 * twice the bytes.
 */
export interface SpanRows {
  readonly trace: string
  readonly detail: string
}

/** Columns of `otel_traces`, as the exporter names and fills them, in the order of the row. */
export const TRACE_COLUMNS = [
  "Timestamp",
  "TraceId",
  "SpanId",
  "ParentSpanId",
  "TraceState",
  "SpanName",
  "SpanKind",
  "ServiceName",
  "ResourceAttributes",
  "ScopeName",
  "ScopeVersion",
  "SpanAttributes",
  "Duration",
  "StatusCode",
  "StatusMessage",
  "Events.Timestamp",
  "Events.Name",
  "Events.Attributes",
  "Links.TraceId",
  "Links.SpanId",
  "Links.TraceState",
  "Links.Attributes",
]

/** Columns of `pagespan_spans`, in the order of the row. */
export const DETAIL_COLUMNS = [
  "TraceId",
  "SpanId",
  "Source",
  "Timestamp",
  "Duration",
  "ServiceName",
  "SpanName",
  "AttributeCount",
  "IsRoot",
  "IsError",
  "Flags",
  "DroppedAttributes",
  "DroppedEvents",
  "DroppedLinks",
  "SchemaUrl",
  "ScopeAttributes",
  "AttributeTypes",
  "ExactAttributes",
]

/** Types of a span's attribute bags: span, resource, scope, and events and links by their index. Empty bags are absent. */
interface BagsOf<Bag> {
  readonly s?: Bag
  readonly r?: Bag
  readonly c?: Bag
  readonly e?: Readonly<Record<number, Bag>>
  readonly l?: Readonly<Record<number, Bag>>
}

export type SpanTypes = BagsOf<AttributeTypes>
export type SpanExacts = BagsOf<ExactAttributes>

/** An attribute bag as JSON text: the column, its types and its exact values; empty where it has none. */
interface BagText {
  readonly text: string
  readonly types: string
  readonly exact: string
}

/** Makes rows, and remembers the text of the resources and scopes, which many spans of a batch share. */
export class SpanRowWriter {
  readonly #shared = new Map<Attributes, BagText>()

  rows(span: SpanRecord): SpanRows {
    const own = bagText(span.attributes)
    const resource = this.#sharedBag(span.resource.attributes)
    const scope = this.#sharedBag(span.scope.attributes)
    const events = span.events.map((event) => bagText(event.attributes))
    const links = span.links.map((link) => bagText(link.attributes))
    const time = toTimestampText(span.startTime)
    const duration = toDurationText(span.startTime, span.endTime)
    const service = quote(serviceName(span.resource))
    const name = quote(span.name)
    const partsOf = (part: "types" | "exact") =>
      bagsText([
        ["s", own[part]],
        ["r", resource[part]],
        ["c", scope[part]],
        ["e", byIndex(events, part)],
        ["l", byIndex(links, part)],
      ])
    // Times, ids and words of our own hold nothing that JSON would escape.
    const trace = [
      `"${time}"`,
      `"${span.traceId}"`,
      `"${span.spanId}"`,
      `"${span.parentSpanId ?? ""}"`,
      quote(span.traceState),
      name,
      `"${kindWord(span.kind)}"`,
      service,
      resource.text,
      quote(span.scope.name),
      quote(span.scope.version),
      own.text,
      duration,
      `"${statusWord(span.status.code)}"`,
      quote(span.status.message),
      list(span.events, (event) => `"${toTimestampText(event.time)}"`),
      list(span.events, (event) => quote(event.name)),
      list(events, ({ text }) => text),
      list(span.links, (link) => `"${link.traceId}"`),
      list(span.links, (link) => `"${link.spanId}"`),
      list(span.links, (link) => quote(link.traceState)),
      list(links, ({ text }) => text),
    ]
    const detail = [
      `"${span.traceId}"`,
      `"${span.spanId}"`,
      `"${span.source}"`,
      `"${time}"`,
      duration,
      service,
      name,
      span.attributes.size,
      span.parentSpanId === undefined,
      span.status.code === "error",
      span.flags,
      span.dropped.attributes,
      span.dropped.events,
      span.dropped.links,
      quote(span.resource.schemaUrl),
      scope.text,
      partsOf("types"),
      partsOf("exact"),
    ]
    return { trace: `[${trace.join(",")}]`, detail: `[${detail.join(",")}]` }
  }

  #sharedBag(attributes: Attributes): BagText {
    const known = this.#shared.get(attributes)
    if (known !== undefined) return known
    const text = bagText(attributes)
    this.#shared.set(attributes, text)
    return text
  }
}

function bagText(attributes: Attributes): BagText {
  const { types, exact } = typesOfBag(attributes)
  return {
    text: attributesJson(attributes),
    types: types === undefined ? "" : JSON.stringify(types),
    exact: exact === undefined ? "" : JSON.stringify(exact),
  }
}

/** One part of every bag that has it, as a JSON object within a JSON text; empty text when no bag has it. */
function bagsText(parts: readonly (readonly [string, string])[]): string {
  const told = parts.filter(([, text]) => text !== "")
  return told.length === 0 ? '""' : quote(`{${told.map(([name, text]) => `"${name}":${text}`).join(",")}}`)
}

function byIndex(bags: readonly BagText[], part: "types" | "exact"): string {
  const told = bags.flatMap((bag, index) => (bag[part] === "" ? [] : [`"${index}":${bag[part]}`]))
  return told.length === 0 ? "" : `{${told.join(",")}}`
}

function list<Item>(items: readonly Item[], textOf: (item: Item) => string): string {
  return items.length === 0 ? "[]" : `[${items.map(textOf).join(",")}]`
}
