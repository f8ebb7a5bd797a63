import type { Attributes } from "../../../protocol/records/attributes.ts"
import {
  type InstrumentationScope,
  type Resource,
  serviceName,
  type SpanRecord,
} from "../../../protocol/records/span.ts"
import type { Nanoseconds } from "../../../protocol/records/time.ts"
import type { Column } from "./column.ts"
import { LowCardinalityColumn } from "./low-cardinality-column.ts"
import {
  ArrayColumn,
  AttributeColumn,
  Block,
  bool,
  cell,
  type Cell,
  dateTime64,
  string,
  uint32,
  uint64,
} from "./native-format.ts"
import { kindName, statusName, storableDuration, storableTime } from "./stored-values.ts"
import { type AttributeTypes, type BagsText, bagText, type ExactAttributes } from "./stored-attributes.ts"

/** A span and the values that both of its rows share. */
interface SpanRow {
  readonly span: SpanRecord
  readonly bags: BagsText
  readonly time: Nanoseconds
  readonly duration: bigint
  readonly service: string
}

function of<Value>(column: Column<Value>, valueOf: (row: SpanRow) => Value): Cell<SpanRow> {
  return cell(column, valueOf)
}
const lowCardinality = () => new LowCardinalityColumn()
const attributes = () => new AttributeColumn()

/** The columns of `otel_traces`, with the values of the collector's exporter. */
const traceColumns = () => ({
  Timestamp: dateTime64(),
  TraceId: string(),
  SpanId: string(),
  ParentSpanId: string(),
  TraceState: string(),
  SpanName: lowCardinality(),
  SpanKind: lowCardinality(),
  ServiceName: lowCardinality(),
  ResourceAttributes: attributes(),
  ScopeName: string(),
  ScopeVersion: string(),
  SpanAttributes: attributes(),
  Duration: uint64(),
  StatusCode: lowCardinality(),
  StatusMessage: string(),
  "Events.Timestamp": new ArrayColumn(dateTime64()),
  "Events.Name": new ArrayColumn(lowCardinality()),
  "Events.Attributes": new ArrayColumn(attributes()),
  "Links.TraceId": new ArrayColumn(string()),
  "Links.SpanId": new ArrayColumn(string()),
  "Links.TraceState": new ArrayColumn(string()),
  "Links.Attributes": new ArrayColumn(attributes()),
})

const traceCells = (columns: ReturnType<typeof traceColumns>) => ({
  Timestamp: of(columns.Timestamp, ({ time }) => time),
  TraceId: of(columns.TraceId, ({ span }) => span.traceId),
  SpanId: of(columns.SpanId, ({ span }) => span.spanId),
  ParentSpanId: of(columns.ParentSpanId, ({ span }) => span.parentSpanId ?? ""),
  TraceState: of(columns.TraceState, ({ span }) => span.traceState),
  SpanName: of(columns.SpanName, ({ span }) => span.name),
  SpanKind: of(columns.SpanKind, ({ span }) => kindName(span.kind)),
  ServiceName: of(columns.ServiceName, ({ service }) => service),
  ResourceAttributes: of(columns.ResourceAttributes, ({ span }) => span.resource.attributes),
  ScopeName: of(columns.ScopeName, ({ span }) => span.scope.name),
  ScopeVersion: of(columns.ScopeVersion, ({ span }) => span.scope.version),
  SpanAttributes: of(columns.SpanAttributes, ({ span }) => span.attributes),
  Duration: of(columns.Duration, ({ duration }) => duration),
  StatusCode: of(columns.StatusCode, ({ span }) => statusName(span.status.code)),
  StatusMessage: of(columns.StatusMessage, ({ span }) => span.status.message),
  "Events.Timestamp": of(columns["Events.Timestamp"], ({ span }) => span.events.map(({ time }) => storableTime(time))),
  "Events.Name": of(columns["Events.Name"], ({ span }) => span.events.map(({ name }) => name)),
  "Events.Attributes": of(columns["Events.Attributes"], ({ span }) => span.events.map((event) => event.attributes)),
  "Links.TraceId": of(columns["Links.TraceId"], ({ span }) => span.links.map(({ traceId }) => traceId)),
  "Links.SpanId": of(columns["Links.SpanId"], ({ span }) => span.links.map(({ spanId }) => spanId)),
  "Links.TraceState": of(columns["Links.TraceState"], ({ span }) => span.links.map(({ traceState }) => traceState)),
  "Links.Attributes": of(columns["Links.Attributes"], ({ span }) => span.links.map((link) => link.attributes)),
})

/** The columns of `pagespan_spans`: those of the trace list, and what the collector's columns do not hold. */
const detailColumns = () => ({
  TraceId: string(),
  SpanId: string(),
  Source: lowCardinality(),
  Timestamp: dateTime64(),
  Duration: uint64(),
  ServiceName: lowCardinality(),
  SpanName: lowCardinality(),
  AttributeCount: uint32(),
  IsRoot: bool(),
  IsError: bool(),
  Flags: uint32(),
  DroppedAttributes: uint32(),
  DroppedEvents: uint32(),
  DroppedLinks: uint32(),
  SchemaUrl: lowCardinality(),
  ScopeAttributes: attributes(),
  AttributeTypes: lowCardinality(),
  ExactAttributes: string(),
})

const detailCells = (columns: ReturnType<typeof detailColumns>) => ({
  TraceId: of(columns.TraceId, ({ span }) => span.traceId),
  SpanId: of(columns.SpanId, ({ span }) => span.spanId),
  Source: of(columns.Source, ({ span }) => span.source),
  Timestamp: of(columns.Timestamp, ({ time }) => time),
  Duration: of(columns.Duration, ({ duration }) => duration),
  ServiceName: of(columns.ServiceName, ({ service }) => service),
  SpanName: of(columns.SpanName, ({ span }) => span.name),
  AttributeCount: of(columns.AttributeCount, ({ span }) => span.attributes.size),
  IsRoot: of(columns.IsRoot, ({ span }) => span.parentSpanId === undefined),
  IsError: of(columns.IsError, ({ span }) => span.status.code === "error"),
  Flags: of(columns.Flags, ({ span }) => span.flags),
  DroppedAttributes: of(columns.DroppedAttributes, ({ span }) => span.dropped.attributes),
  DroppedEvents: of(columns.DroppedEvents, ({ span }) => span.dropped.events),
  DroppedLinks: of(columns.DroppedLinks, ({ span }) => span.dropped.links),
  SchemaUrl: of(columns.SchemaUrl, ({ span }) => span.resource.schemaUrl),
  ScopeAttributes: of(columns.ScopeAttributes, ({ span }) => span.scope.attributes),
  AttributeTypes: of(columns.AttributeTypes, ({ bags }) => bags.types),
  ExactAttributes: of(columns.ExactAttributes, ({ bags }) => bags.exact),
})

/** Spans as one block for each of their two tables. */
export class SpanBlock {
  readonly bags = new BagWriter()
  /** For spans that are bytes: a value for each column, then `endSpan`. */
  readonly columns = { trace: traceColumns(), detail: detailColumns() }
  /** The columns of events and links. */
  readonly lists = Object.values(this.columns.trace).filter((column) => column instanceof ArrayColumn)
  readonly trace = new Block<SpanRow>(traceCells(this.columns.trace))
  readonly detail = new Block<SpanRow>(detailCells(this.columns.detail))

  get spans(): number {
    return this.trace.rows
  }

  /** Bytes of the larger block, approximately. */
  get size(): number {
    return Math.max(this.trace.size, this.detail.size)
  }

  add(span: SpanRecord): void {
    const row: SpanRow = {
      span,
      bags: this.bags.textOf(span),
      time: storableTime(span.startTime),
      duration: storableDuration(span.startTime, span.endTime),
      service: serviceName(span.resource),
    }
    this.trace.add(row)
    this.detail.add(row)
  }

  endSpan(): void {
    this.trace.endRow()
    this.detail.endRow()
  }

  /** Removes the spans and keeps their memory. */
  clear(): void {
    this.trace.clear()
    this.detail.clear()
  }
}

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

interface Around {
  readonly resource: Resource | undefined
  readonly scope: InstrumentationScope | undefined
  readonly texts: Map<BagsText, BagsText>
}

/** Writes this JSON. Spans of one resource and scope follow each other, so their text is cached. */
export class BagWriter {
  readonly #resource = new LastBag()
  readonly #scope = new LastBag()
  /** Texts of spans of the latest resource and scope, by the text of their own bag. */
  #around: Around = { resource: undefined, scope: undefined, texts: new Map() }

  textOf({ attributes, resource, scope, events, links }: SpanRecord): BagsText {
    const bags = {
      s: bagText(attributes),
      r: this.#resource.textOf(resource.attributes),
      c: this.#scope.textOf(scope.attributes),
      e: events.map((event) => bagText(event.attributes)),
      l: links.map((link) => bagText(link.attributes)),
    }
    return { types: partOfBags(bags, "types"), exact: partOfBags(bags, "exact") }
  }

  /** The same for a span without events and links, whose own bag has this text. */
  textAround(own: BagsText, resource: Resource, scope: InstrumentationScope): BagsText {
    if (resource !== this.#around.resource || scope !== this.#around.scope)
      this.#around = { resource, scope, texts: new Map() }
    const known = this.#around.texts.get(own)
    if (known !== undefined) return known
    const r = this.#resource.textOf(resource.attributes)
    const c = this.#scope.textOf(scope.attributes)
    const bags = { s: own, r, c, e: [], l: [] }
    const text = { types: partOfBags(bags, "types"), exact: partOfBags(bags, "exact") }
    this.#around.texts.set(own, text)
    return text
  }
}

/** Caches the text of the latest bag. */
class LastBag {
  #attributes: Attributes | undefined
  #text: BagsText = NO_TEXT

  textOf(attributes: Attributes): BagsText {
    if (attributes !== this.#attributes) this.#text = bagText(attributes)
    this.#attributes = attributes
    return this.#text
  }
}

const NO_TEXT: BagsText = { types: "", exact: "" }

interface Bags {
  readonly s: BagsText
  readonly r: BagsText
  readonly c: BagsText
  readonly e: readonly BagsText[]
  readonly l: readonly BagsText[]
}

function partOfBags({ s, r, c, e, l }: Bags, part: keyof BagsText): string {
  let members = member("s", s[part]) + member("r", r[part]) + member("c", c[part])
  if (e.length > 0) members += member("e", byIndex(e, part))
  if (l.length > 0) members += member("l", byIndex(l, part))
  return object(members)
}

function byIndex(bags: readonly BagsText[], part: keyof BagsText): string {
  return object(bags.map((bag, index) => member(String(index), bag[part])).join(""))
}

function member(name: string, json: string): string {
  return json === "" ? "" : `,"${name}":${json}`
}

/** Takes members that each begin with a comma. */
function object(members: string): string {
  return members === "" ? "" : `{${members.slice(1)}}`
}
