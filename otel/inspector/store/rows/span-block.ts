import type { Attributes } from "../../../protocol/records/attributes.ts"
import { serviceName, type SpanRecord } from "../../../protocol/records/span.ts"
import type { Nanoseconds } from "../../../protocol/records/time.ts"
import {
  ArrayColumn,
  AttributeColumn,
  Block,
  bool,
  cell,
  type Cell,
  type Column,
  dateTime64,
  LowCardinalityColumn,
  string,
  uint32,
  uint64,
} from "./native-format.ts"
import { kindName, statusName } from "./span-enums.ts"
import { type AttributeTypes, type ExactAttributes, typesOfBag } from "./stored-attributes.ts"
import { storableDuration, storableTime } from "./timestamp.ts"

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
const traceCells = () => ({
  Timestamp: of(dateTime64(), ({ time }) => time),
  TraceId: of(string(), ({ span }) => span.traceId),
  SpanId: of(string(), ({ span }) => span.spanId),
  ParentSpanId: of(string(), ({ span }) => span.parentSpanId ?? ""),
  TraceState: of(string(), ({ span }) => span.traceState),
  SpanName: of(lowCardinality(), ({ span }) => span.name),
  SpanKind: of(lowCardinality(), ({ span }) => kindName(span.kind)),
  ServiceName: of(lowCardinality(), ({ service }) => service),
  ResourceAttributes: of(attributes(), ({ span }) => span.resource.attributes),
  ScopeName: of(string(), ({ span }) => span.scope.name),
  ScopeVersion: of(string(), ({ span }) => span.scope.version),
  SpanAttributes: of(attributes(), ({ span }) => span.attributes),
  Duration: of(uint64(), ({ duration }) => duration),
  StatusCode: of(lowCardinality(), ({ span }) => statusName(span.status.code)),
  StatusMessage: of(string(), ({ span }) => span.status.message),
  "Events.Timestamp": of(new ArrayColumn(dateTime64()), ({ span }) =>
    span.events.map(({ time }) => storableTime(time)),
  ),
  "Events.Name": of(new ArrayColumn(lowCardinality()), ({ span }) => span.events.map(({ name }) => name)),
  "Events.Attributes": of(new ArrayColumn(attributes()), ({ span }) => span.events.map((event) => event.attributes)),
  "Links.TraceId": of(new ArrayColumn(string()), ({ span }) => span.links.map(({ traceId }) => traceId)),
  "Links.SpanId": of(new ArrayColumn(string()), ({ span }) => span.links.map(({ spanId }) => spanId)),
  "Links.TraceState": of(new ArrayColumn(string()), ({ span }) => span.links.map(({ traceState }) => traceState)),
  "Links.Attributes": of(new ArrayColumn(attributes()), ({ span }) => span.links.map((link) => link.attributes)),
})

/** The columns of `pagespan_spans`: those of the trace list, and what the collector's columns do not hold. */
const detailCells = () => ({
  TraceId: of(string(), ({ span }) => span.traceId),
  SpanId: of(string(), ({ span }) => span.spanId),
  Source: of(lowCardinality(), ({ span }) => span.source),
  Timestamp: of(dateTime64(), ({ time }) => time),
  Duration: of(uint64(), ({ duration }) => duration),
  ServiceName: of(lowCardinality(), ({ service }) => service),
  SpanName: of(lowCardinality(), ({ span }) => span.name),
  AttributeCount: of(uint32(), ({ span }) => span.attributes.size),
  IsRoot: of(bool(), ({ span }) => span.parentSpanId === undefined),
  IsError: of(bool(), ({ span }) => span.status.code === "error"),
  Flags: of(uint32(), ({ span }) => span.flags),
  DroppedAttributes: of(uint32(), ({ span }) => span.dropped.attributes),
  DroppedEvents: of(uint32(), ({ span }) => span.dropped.events),
  DroppedLinks: of(uint32(), ({ span }) => span.dropped.links),
  SchemaUrl: of(lowCardinality(), ({ span }) => span.resource.schemaUrl),
  ScopeAttributes: of(attributes(), ({ span }) => span.scope.attributes),
  AttributeTypes: of(lowCardinality(), ({ bags }) => bags.types),
  ExactAttributes: of(string(), ({ bags }) => bags.exact),
})

/** Spans as one block for each of their two tables. */
export class SpanBlock {
  readonly #bags = new BagWriter()
  readonly trace = new Block<SpanRow>(traceCells())
  readonly detail = new Block<SpanRow>(detailCells())

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
      bags: this.#bags.textOf(span),
      time: storableTime(span.startTime),
      duration: storableDuration(span.startTime, span.endTime),
      service: serviceName(span.resource),
    }
    this.trace.add(row)
    this.detail.add(row)
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

/** JSON of what the attribute columns do not hold, of one bag or of all bags of a span; empty if they hold everything. */
interface BagsText {
  readonly types: string
  readonly exact: string
}

/** Writes this JSON. Spans of one resource and scope follow each other, so their text is cached. */
class BagWriter {
  readonly #resource = new LastBag()
  readonly #scope = new LastBag()

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

function bagText(attributes: Attributes): BagsText {
  const { types, exact } = typesOfBag(attributes)
  return {
    types: types === undefined ? "" : JSON.stringify(types),
    exact: exact === undefined ? "" : JSON.stringify(exact),
  }
}

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
