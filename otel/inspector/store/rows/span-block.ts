import { type SpanRecord, serviceName } from "../../../protocol/records/span.ts"
import type { Nanoseconds } from "../../../protocol/records/time.ts"
import {
  ArrayColumn,
  AttributeColumn,
  Block,
  type Cell,
  type Column,
  LowCardinalityColumn,
  bool,
  cell,
  dateTime64,
  string,
  uint32,
  uint64,
} from "./native-format.ts"
import { kindWord, statusWord } from "./span-enums.ts"
import { storableDuration, storableTime } from "./timestamp.ts"
import type { Attributes } from "../../../protocol/records/attributes.ts"
import { type AttributeTypes, type ExactAttributes, typesOfBag } from "./stored-attributes.ts"

/** A span and what both of its rows tell. */
interface Told {
  readonly span: SpanRecord
  readonly bags: BagsText
  readonly time: Nanoseconds
  readonly duration: bigint
  readonly service: string
}

function told<Value>(column: Column<Value>, valueOf: (told: Told) => Value): Cell<Told> {
  return cell(column, valueOf)
}
const words = () => new LowCardinalityColumn()
const attributes = () => new AttributeColumn()

/** `otel_traces`, as the collector's exporter names and fills it. */
const traceCells = () => ({
  Timestamp: told(dateTime64(), ({ time }) => time),
  TraceId: told(string(), ({ span }) => span.traceId),
  SpanId: told(string(), ({ span }) => span.spanId),
  ParentSpanId: told(string(), ({ span }) => span.parentSpanId ?? ""),
  TraceState: told(string(), ({ span }) => span.traceState),
  SpanName: told(words(), ({ span }) => span.name),
  SpanKind: told(words(), ({ span }) => kindWord(span.kind)),
  ServiceName: told(words(), ({ service }) => service),
  ResourceAttributes: told(attributes(), ({ span }) => span.resource.attributes),
  ScopeName: told(string(), ({ span }) => span.scope.name),
  ScopeVersion: told(string(), ({ span }) => span.scope.version),
  SpanAttributes: told(attributes(), ({ span }) => span.attributes),
  Duration: told(uint64(), ({ duration }) => duration),
  StatusCode: told(words(), ({ span }) => statusWord(span.status.code)),
  StatusMessage: told(string(), ({ span }) => span.status.message),
  "Events.Timestamp": told(new ArrayColumn(dateTime64()), ({ span }) =>
    span.events.map(({ time }) => storableTime(time)),
  ),
  "Events.Name": told(new ArrayColumn(words()), ({ span }) => span.events.map(({ name }) => name)),
  "Events.Attributes": told(new ArrayColumn(attributes()), ({ span }) => span.events.map((event) => event.attributes)),
  "Links.TraceId": told(new ArrayColumn(string()), ({ span }) => span.links.map(({ traceId }) => traceId)),
  "Links.SpanId": told(new ArrayColumn(string()), ({ span }) => span.links.map(({ spanId }) => spanId)),
  "Links.TraceState": told(new ArrayColumn(string()), ({ span }) => span.links.map(({ traceState }) => traceState)),
  "Links.Attributes": told(new ArrayColumn(attributes()), ({ span }) => span.links.map((link) => link.attributes)),
})

/** `pagespan_spans`: what the list is made of, and what the collector's columns leave out. */
const detailCells = () => ({
  TraceId: told(string(), ({ span }) => span.traceId),
  SpanId: told(string(), ({ span }) => span.spanId),
  Source: told(words(), ({ span }) => span.source),
  Timestamp: told(dateTime64(), ({ time }) => time),
  Duration: told(uint64(), ({ duration }) => duration),
  ServiceName: told(words(), ({ service }) => service),
  SpanName: told(words(), ({ span }) => span.name),
  AttributeCount: told(uint32(), ({ span }) => span.attributes.size),
  IsRoot: told(bool(), ({ span }) => span.parentSpanId === undefined),
  IsError: told(bool(), ({ span }) => span.status.code === "error"),
  Flags: told(uint32(), ({ span }) => span.flags),
  DroppedAttributes: told(uint32(), ({ span }) => span.dropped.attributes),
  DroppedEvents: told(uint32(), ({ span }) => span.dropped.events),
  DroppedLinks: told(uint32(), ({ span }) => span.dropped.links),
  SchemaUrl: told(words(), ({ span }) => span.resource.schemaUrl),
  ScopeAttributes: told(attributes(), ({ span }) => span.scope.attributes),
  AttributeTypes: told(words(), ({ bags }) => bags.types),
  ExactAttributes: told(string(), ({ bags }) => bags.exact),
})

export const TRACE_COLUMNS = Object.keys(traceCells())
export const DETAIL_COLUMNS = Object.keys(detailCells())

/** Spans as a block of each of their two tables. */
export class SpanBlock {
  readonly #bags = new BagWriter()
  readonly trace = new Block<Told>(traceCells())
  readonly detail = new Block<Told>(detailCells())

  get spans(): number {
    return this.trace.rows
  }

  /** About what the larger of the two takes. */
  get size(): number {
    return Math.max(this.trace.size, this.detail.size)
  }

  add(span: SpanRecord): void {
    const row: Told = {
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

/** What the columns of attributes leave out of one bag or of all bags of a span, as JSON; empty where that is nothing. */
export interface BagsText {
  readonly types: string
  readonly exact: string
}

/** Writes what the bags of spans leave out. Spans of one resource and scope come one after the other. */
export class BagWriter {
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

/** Remembers the text of the bag that it was asked for last. */
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
  let told = member("s", s[part]) + member("r", r[part]) + member("c", c[part])
  if (e.length > 0) told += member("e", byIndex(e, part))
  if (l.length > 0) told += member("l", byIndex(l, part))
  return object(told)
}

function byIndex(bags: readonly BagsText[], part: keyof BagsText): string {
  return object(bags.map((bag, index) => member(String(index), bag[part])).join(""))
}

function member(name: string, json: string): string {
  return json === "" ? "" : `,"${name}":${json}`
}

/** Of members that each begin with a comma. */
function object(members: string): string {
  return members === "" ? "" : `{${members.slice(1)}}`
}
