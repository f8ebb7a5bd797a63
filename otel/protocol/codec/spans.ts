import type { SpanId, TraceId } from "../records/ids.ts"
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
import { readAttributes, writeAttributes } from "./attributes.ts"
import type { BatchReader } from "./batch-reader.ts"
import type { BatchWriter } from "./batch-writer.ts"

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
