import { serviceName, type SpanRecord } from "../../model/span.ts"
import { quote } from "./attributes-json.ts"
import { BagWriter, partOfBags, type SpanBags } from "./span-bags.ts"
import { kindWord, statusWord } from "./span-words.ts"
import { toDurationText, toTimestampText } from "./timestamp.ts"

/** A span and what both of its rows tell, as JSON text. */
interface Told {
  readonly span: SpanRecord
  readonly bags: SpanBags
  readonly time: string
  readonly duration: string
  readonly service: string
  readonly name: string
}

/** The columns of a table, in order, and the JSON text of each. Times, ids and our own words hold nothing to escape. */
type Columns = Readonly<Record<string, (told: Told) => string>>

/** `otel_traces`, as the collector's exporter names and fills it. */
const TRACE: Columns = {
  Timestamp: ({ time }) => time,
  TraceId: ({ span }) => `"${span.traceId}"`,
  SpanId: ({ span }) => `"${span.spanId}"`,
  ParentSpanId: ({ span }) => `"${span.parentSpanId ?? ""}"`,
  TraceState: ({ span }) => quote(span.traceState),
  SpanName: ({ name }) => name,
  SpanKind: ({ span }) => `"${kindWord(span.kind)}"`,
  ServiceName: ({ service }) => service,
  ResourceAttributes: ({ bags }) => bags.resource.text,
  ScopeName: ({ span }) => quote(span.scope.name),
  ScopeVersion: ({ span }) => quote(span.scope.version),
  SpanAttributes: ({ bags }) => bags.span.text,
  Duration: ({ duration }) => duration,
  StatusCode: ({ span }) => `"${statusWord(span.status.code)}"`,
  StatusMessage: ({ span }) => quote(span.status.message),
  "Events.Timestamp": ({ span }) => list(span.events, ({ time }) => `"${toTimestampText(time)}"`),
  "Events.Name": ({ span }) => list(span.events, ({ name }) => quote(name)),
  "Events.Attributes": ({ bags }) => list(bags.events, ({ text }) => text),
  "Links.TraceId": ({ span }) => list(span.links, ({ traceId }) => `"${traceId}"`),
  "Links.SpanId": ({ span }) => list(span.links, ({ spanId }) => `"${spanId}"`),
  "Links.TraceState": ({ span }) => list(span.links, ({ traceState }) => quote(traceState)),
  "Links.Attributes": ({ bags }) => list(bags.links, ({ text }) => text),
}

/** `pagespan_spans`: what the list is made of, and what the collector's columns leave out. */
const DETAIL: Columns = {
  TraceId: ({ span }) => `"${span.traceId}"`,
  SpanId: ({ span }) => `"${span.spanId}"`,
  Source: ({ span }) => `"${span.source}"`,
  Timestamp: ({ time }) => time,
  Duration: ({ duration }) => duration,
  ServiceName: ({ service }) => service,
  SpanName: ({ name }) => name,
  AttributeCount: ({ span }) => String(span.attributes.size),
  IsRoot: ({ span }) => String(span.parentSpanId === undefined),
  IsError: ({ span }) => String(span.status.code === "error"),
  Flags: ({ span }) => String(span.flags),
  DroppedAttributes: ({ span }) => String(span.dropped.attributes),
  DroppedEvents: ({ span }) => String(span.dropped.events),
  DroppedLinks: ({ span }) => String(span.dropped.links),
  SchemaUrl: ({ span }) => quote(span.resource.schemaUrl),
  ScopeAttributes: ({ bags }) => bags.scope.text,
  AttributeTypes: ({ bags }) => partOfBags(bags, "types"),
  ExactAttributes: ({ bags }) => partOfBags(bags, "exact"),
}

export const TRACE_COLUMNS = Object.keys(TRACE)
export const DETAIL_COLUMNS = Object.keys(DETAIL)
const TRACE_TEXTS = Object.values(TRACE)
const DETAIL_TEXTS = Object.values(DETAIL)

/** A span in its two rows, each a line of `JSONCompactEachRow`. */
export interface SpanRows {
  readonly trace: string
  readonly detail: string
}

/** Puts rows together as text: made as objects they take twice the time, and with names in each row twice the bytes. */
export class SpanRowWriter {
  readonly #bags = new BagWriter()

  rows(span: SpanRecord): SpanRows {
    const told: Told = {
      span,
      bags: this.#bags.bagsOf(span),
      time: `"${toTimestampText(span.startTime)}"`,
      duration: toDurationText(span.startTime, span.endTime),
      service: quote(serviceName(span.resource)),
      name: quote(span.name),
    }
    return { trace: line(TRACE_TEXTS, told), detail: line(DETAIL_TEXTS, told) }
  }
}

function line(texts: readonly ((told: Told) => string)[], told: Told): string {
  return list(texts, (text) => text(told))
}

function list<Item>(items: readonly Item[], textOf: (item: Item) => string): string {
  return items.length === 0 ? "[]" : `[${items.map(textOf).join(",")}]`
}
