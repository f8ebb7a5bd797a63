import { type Attributes, type AttributeValue, NO_ATTRIBUTES } from "../records/attributes.ts"
import type { SpanId, TraceId } from "../records/ids.ts"
import type { LogRecord } from "../records/log.ts"
import type {
  DroppedCounts,
  InstrumentationScope,
  Resource,
  SpanEvent,
  SpanKind,
  SpanLink,
  SpanRecord,
  SpanSource,
  SpanStatus,
  StatusCode,
} from "../records/span.ts"
import { nanoseconds } from "../records/time.ts"
import type { BatchReader, BatchWriter } from "./batch-stream.ts"

export function writeSpan(to: BatchWriter, span: SpanRecord): void {
  to.text(span.traceId)
  to.text(span.spanId)
  to.optionalText(span.parentSpanId)
  to.text(span.traceState)
  to.count(span.flags)
  to.text(span.name)
  to.text(span.kind)
  to.time(span.startTime)
  to.time(span.endTime)
  writeStatus(to, span.status)
  writeAttributes(to, span.attributes)
  to.list(span.events, writeEvent)
  to.list(span.links, writeLink)
  writeDropped(to, span.dropped)
  to.shared(span.resource, writeResource)
  to.shared(span.scope, writeScope)
  to.text(span.source)
}

export function readSpan(from: BatchReader): SpanRecord {
  return {
    traceId: from.text() as TraceId,
    spanId: from.text() as SpanId,
    parentSpanId: from.optionalText() as SpanId | undefined,
    traceState: from.text(),
    flags: from.count(),
    name: from.text(),
    kind: from.text() as SpanKind,
    startTime: nanoseconds(from.time()),
    endTime: nanoseconds(from.time()),
    status: readStatus(from),
    attributes: readAttributes(from),
    events: from.list(readEvent),
    links: from.list(readLink),
    dropped: readDropped(from),
    resource: from.shared(readResource),
    scope: from.shared(readScope),
    source: from.text() as SpanSource,
  }
}

function writeStatus(to: BatchWriter, { code, message }: SpanStatus): void {
  to.text(code)
  to.text(message)
}

function readStatus(from: BatchReader): SpanStatus {
  return { code: from.text() as StatusCode, message: from.text() }
}

function writeEvent(to: BatchWriter, { time, name, attributes }: SpanEvent): void {
  to.time(time)
  to.text(name)
  writeAttributes(to, attributes)
}

function readEvent(from: BatchReader): SpanEvent {
  return { time: nanoseconds(from.time()), name: from.text(), attributes: readAttributes(from) }
}

function writeLink(to: BatchWriter, { traceId, spanId, traceState, attributes }: SpanLink): void {
  to.text(traceId)
  to.text(spanId)
  to.text(traceState)
  writeAttributes(to, attributes)
}

function readLink(from: BatchReader): SpanLink {
  return {
    traceId: from.text() as TraceId,
    spanId: from.text() as SpanId,
    traceState: from.text(),
    attributes: readAttributes(from),
  }
}

function writeDropped(to: BatchWriter, { attributes, events, links }: DroppedCounts): void {
  to.count(attributes)
  to.count(events)
  to.count(links)
}

function readDropped(from: BatchReader): DroppedCounts {
  return { attributes: from.count(), events: from.count(), links: from.count() }
}

export function writeResource(to: BatchWriter, { attributes, schemaUrl }: Resource): void {
  writeAttributes(to, attributes)
  to.text(schemaUrl)
}

export function readResource(from: BatchReader): Resource {
  return { attributes: readAttributes(from), schemaUrl: from.text() }
}

export function writeScope(to: BatchWriter, { name, version, attributes }: InstrumentationScope): void {
  to.text(name)
  to.text(version)
  writeAttributes(to, attributes)
}

export function readScope(from: BatchReader): InstrumentationScope {
  return { name: from.text(), version: from.text(), attributes: readAttributes(from) }
}

export function writeLog(to: BatchWriter, log: LogRecord): void {
  to.text(log.logId)
  to.time(log.time)
  to.optionalText(log.traceId)
  to.optionalText(log.spanId)
  to.number(log.severityNumber)
  to.text(log.severityText)
  to.text(log.eventName)
  writeValue(to, log.body)
  writeAttributes(to, log.attributes)
  to.shared(log.resource, writeResource)
  to.shared(log.scope, writeScope)
  to.text(log.source)
}

export function readLog(from: BatchReader): LogRecord {
  return {
    logId: from.text(),
    time: nanoseconds(from.time()),
    traceId: from.optionalText() as TraceId | undefined,
    spanId: from.optionalText() as SpanId | undefined,
    severityNumber: from.number(),
    severityText: from.text(),
    eventName: from.text(),
    body: readValue(from),
    attributes: readAttributes(from),
    resource: from.shared(readResource),
    scope: from.shared(readScope),
    source: from.text() as SpanSource,
  }
}

const TAGS = { null: 0, true: 1, false: 2, text: 3, integer: 4, longInteger: 5, number: 6, bytes: 7, list: 8, map: 9 }

export function writeAttributes(to: BatchWriter, attributes: Attributes): void {
  to.count(attributes.size)
  for (const [key, value] of attributes) {
    to.text(key)
    writeValue(to, value)
  }
}

export function readAttributes(from: BatchReader): Attributes {
  const size = from.count()
  if (size === 0) return NO_ATTRIBUTES
  const attributes = new Map<string, AttributeValue>()
  for (let index = 0; index < size; index += 1) {
    const key = from.text()
    attributes.set(key, readValue(from))
  }
  return attributes
}

export function writeValue(to: BatchWriter, value: AttributeValue): void {
  switch (typeof value) {
    case "string":
      to.tag(TAGS.text)
      return to.text(value)
    case "number":
      to.tag(TAGS.number)
      return to.number(value)
    case "bigint":
      return writeInteger(to, value)
    case "boolean":
      return to.tag(value ? TAGS.true : TAGS.false)
    default:
      return writeObject(to, value)
  }
}

function writeInteger(to: BatchWriter, value: bigint): void {
  const isLong = BigInt.asIntN(64, value) !== value
  to.tag(isLong ? TAGS.longInteger : TAGS.integer)
  if (isLong) to.text(String(value))
  else to.integer(value)
}

function writeObject(to: BatchWriter, value: Exclude<AttributeValue, string | number | bigint | boolean>): void {
  if (value === null) to.tag(TAGS.null)
  else if (value instanceof Map) {
    to.tag(TAGS.map)
    writeAttributes(to, value)
  } else if (value instanceof Uint8Array) {
    to.tag(TAGS.bytes)
    to.bytes(value)
  } else {
    to.tag(TAGS.list)
    to.list(value as readonly AttributeValue[], writeValue)
  }
}

export function readValue(from: BatchReader): AttributeValue {
  const tag = from.tag()
  switch (tag) {
    case TAGS.text:
      return from.text()
    case TAGS.number:
      return from.number()
    case TAGS.integer:
      return from.integer()
    case TAGS.longInteger:
      return BigInt(from.text())
    case TAGS.true:
      return true
    case TAGS.false:
      return false
    case TAGS.bytes:
      return from.bytes()
    case TAGS.list:
      return from.list(readValue)
    case TAGS.map:
      return readAttributes(from)
    case TAGS.null:
      return null
    default:
      throw new Error(`unknown tag of an attribute value: ${tag}`)
  }
}
