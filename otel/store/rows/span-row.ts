import { serviceName, type SpanRecord } from "../../model/span.ts"
import { storeAttributes, type AttributeTypes, type ExactAttributes, type StoredAttributes } from "./attribute-types.ts"
import { kindWord, statusWord } from "./span-words.ts"
import { toDurationText, toTimestampText } from "./timestamp.ts"

/** A span record in its two rows: the collector's, and ours with what the collector's columns leave out. */
export interface SpanRows {
  readonly trace: object
  readonly detail: object
}

/** Types of a span's attribute bags: span, resource, scope, and events and links by their index. Empty bags are absent. */
export interface BagTypes<Bag> {
  readonly s?: Bag
  readonly r?: Bag
  readonly c?: Bag
  readonly e?: Readonly<Record<number, Bag>>
  readonly l?: Readonly<Record<number, Bag>>
}

export type SpanTypes = BagTypes<AttributeTypes>
export type SpanExacts = BagTypes<ExactAttributes>

interface StoredBags {
  readonly span: StoredAttributes
  readonly resource: StoredAttributes
  readonly scope: StoredAttributes
  readonly events: readonly StoredAttributes[]
  readonly links: readonly StoredAttributes[]
}

export function toSpanRows(span: SpanRecord): SpanRows {
  const bags: StoredBags = {
    span: storeAttributes(span.attributes),
    resource: storeAttributes(span.resource.attributes),
    scope: storeAttributes(span.scope.attributes),
    events: span.events.map((event) => storeAttributes(event.attributes)),
    links: span.links.map((link) => storeAttributes(link.attributes)),
  }
  return { trace: traceRow(span, bags), detail: detailRow(span, bags) }
}

/** Columns of `otel_traces`, as the exporter names and fills them. */
function traceRow(span: SpanRecord, bags: StoredBags): object {
  return {
    Timestamp: toTimestampText(span.startTime),
    TraceId: span.traceId,
    SpanId: span.spanId,
    ParentSpanId: span.parentSpanId ?? "",
    TraceState: span.traceState,
    SpanName: span.name,
    SpanKind: kindWord(span.kind),
    ServiceName: serviceName(span.resource),
    ResourceAttributes: bags.resource.text,
    ScopeName: span.scope.name,
    ScopeVersion: span.scope.version,
    SpanAttributes: bags.span.text,
    Duration: toDurationText(span.startTime, span.endTime),
    StatusCode: statusWord(span.status.code),
    StatusMessage: span.status.message,
    "Events.Timestamp": span.events.map((event) => toTimestampText(event.time)),
    "Events.Name": span.events.map((event) => event.name),
    "Events.Attributes": bags.events.map(({ text }) => text),
    "Links.TraceId": span.links.map((link) => link.traceId),
    "Links.SpanId": span.links.map((link) => link.spanId),
    "Links.TraceState": span.links.map((link) => link.traceState),
    "Links.Attributes": bags.links.map(({ text }) => text),
  }
}

/** Columns of `pagespan_spans`. */
function detailRow(span: SpanRecord, bags: StoredBags): object {
  return {
    TraceId: span.traceId,
    SpanId: span.spanId,
    Source: span.source,
    Timestamp: toTimestampText(span.startTime),
    Duration: toDurationText(span.startTime, span.endTime),
    ServiceName: serviceName(span.resource),
    SpanName: span.name,
    AttributeCount: span.attributes.size,
    IsRoot: span.parentSpanId === undefined,
    IsError: span.status.code === "error",
    Flags: span.flags,
    DroppedAttributes: span.dropped.attributes,
    DroppedEvents: span.dropped.events,
    DroppedLinks: span.dropped.links,
    SchemaUrl: span.resource.schemaUrl,
    ScopeAttributes: bags.scope.text,
    AttributeTypes: bagsText(bags, ({ types }) => types),
    ExactAttributes: bagsText(bags, ({ exact }) => exact),
  }
}

/** One part of every bag as JSON text; empty when no bag has it. */
function bagsText<Part>(bags: StoredBags, partOf: (bag: StoredAttributes) => Part | undefined): string {
  const parts = {
    s: partOf(bags.span),
    r: partOf(bags.resource),
    c: partOf(bags.scope),
    e: byIndex(bags.events, partOf),
    l: byIndex(bags.links, partOf),
  }
  const text = JSON.stringify(parts)
  return text === "{}" ? "" : text
}

function byIndex<Part>(bags: readonly StoredAttributes[], partOf: (bag: StoredAttributes) => Part | undefined) {
  const parts = bags.flatMap((bag, index) => {
    const part = partOf(bag)
    return part === undefined ? [] : [[index, part] as const]
  })
  return parts.length === 0 ? undefined : Object.fromEntries(parts)
}
