import { dropReason } from "../records/drop.ts"
import type { ItemCut, ItemFact, ItemRecord } from "../records/envelope-item.ts"
import type { ErrorEvent, ErrorLevel, ExceptionRecord, Mechanism, StackFrame } from "../records/error.ts"
import type { SpanId, TraceId } from "../records/ids.ts"
import type { SpanSource } from "../records/span.ts"
import { nanoseconds } from "../records/time.ts"
import type { BatchReader, BatchWriter } from "./batch-stream.ts"
import { readAttributes, writeAttributes } from "./spans-and-logs.ts"

export function writeError(to: BatchWriter, error: ErrorEvent): void {
  to.text(error.eventId)
  to.text(error.issueId)
  to.time(error.time)
  to.optionalText(error.traceId)
  to.optionalText(error.spanId)
  to.text(error.level)
  to.text(error.type)
  to.text(error.value)
  to.list(error.exceptions, writeException)
  to.text(error.transaction)
  to.text(error.service)
  to.text(error.environment)
  to.text(error.release)
  writeAttributes(to, error.tags)
  to.text(error.breadcrumbs)
  to.text(error.request)
  to.text(error.context)
  to.list(error.fingerprint, writeText)
  to.text(error.source)
}

export function readError(from: BatchReader): ErrorEvent {
  return {
    eventId: from.text(),
    issueId: from.text(),
    time: nanoseconds(from.time()),
    traceId: from.optionalText() as TraceId | undefined,
    spanId: from.optionalText() as SpanId | undefined,
    level: from.text() as ErrorLevel,
    type: from.text(),
    value: from.text(),
    exceptions: from.list(readException),
    transaction: from.text(),
    service: from.text(),
    environment: from.text(),
    release: from.text(),
    tags: readAttributes(from),
    breadcrumbs: from.text(),
    request: from.text(),
    context: from.text(),
    fingerprint: from.list(readText),
    source: from.text() as SpanSource,
  }
}

function writeException(to: BatchWriter, { type, value, mechanism, frames, stackText }: ExceptionRecord): void {
  to.text(type)
  to.text(value)
  writeMechanism(to, mechanism)
  to.list(frames, writeFrame)
  to.text(stackText)
}

function readException(from: BatchReader): ExceptionRecord {
  return {
    type: from.text(),
    value: from.text(),
    mechanism: readMechanism(from),
    frames: from.list(readFrame),
    stackText: from.text(),
  }
}

function writeMechanism(to: BatchWriter, mechanism: Mechanism | undefined): void {
  to.optionalText(mechanism?.type)
  if (mechanism !== undefined) writeOptionalBoolean(to, mechanism.handled)
}

function readMechanism(from: BatchReader): Mechanism | undefined {
  const type = from.optionalText()
  return type === undefined ? undefined : { type, handled: readOptionalBoolean(from) }
}

function writeFrame(to: BatchWriter, frame: StackFrame): void {
  to.text(frame.function)
  to.text(frame.module)
  to.text(frame.file)
  writePosition(to, frame.line)
  writePosition(to, frame.column)
  writeOptionalBoolean(to, frame.inApp)
  to.list(frame.before, writeText)
  to.text(frame.context)
  to.list(frame.after, writeText)
}

function readFrame(from: BatchReader): StackFrame {
  return {
    function: from.text(),
    module: from.text(),
    file: from.text(),
    line: readPosition(from),
    column: readPosition(from),
    inApp: readOptionalBoolean(from),
    before: from.list(readText),
    context: from.text(),
    after: from.list(readText),
  }
}

/** NaN is an absent line or column. */
function writePosition(to: BatchWriter, place: number | undefined): void {
  to.number(place ?? Number.NaN)
}

function readPosition(from: BatchReader): number | undefined {
  const place = from.number()
  return Number.isNaN(place) ? undefined : place
}

const BOOLEANS = [undefined, false, true] as const

function writeOptionalBoolean(to: BatchWriter, answer: boolean | undefined): void {
  to.tag(BOOLEANS.indexOf(answer))
}

function readOptionalBoolean(from: BatchReader): boolean | undefined {
  return BOOLEANS[from.tag()]
}

function writeText(to: BatchWriter, text: string): void {
  to.text(text)
}

function readText(from: BatchReader): string {
  return from.text()
}

export function writeItem(to: BatchWriter, item: ItemRecord): void {
  to.text(item.itemId)
  to.text(item.type)
  to.time(item.time)
  to.optionalText(item.eventId)
  to.optionalText(item.aboutEventId)
  to.optionalText(item.traceId)
  to.optionalText(item.spanId)
  to.text(item.service)
  to.text(item.environment)
  to.text(item.release)
  to.text(item.sdk)
  to.list(item.facts, writeFact)
  to.text(item.contentType)
  to.text(item.fileName)
  to.text(item.attachmentType)
  to.number(item.byteLength)
  to.bytes(item.payload)
  to.list(item.cuts, writeCut)
}

export function readItem(from: BatchReader): ItemRecord {
  return {
    itemId: from.text(),
    type: from.text(),
    time: nanoseconds(from.time()),
    eventId: from.optionalText(),
    aboutEventId: from.optionalText(),
    traceId: from.optionalText() as TraceId | undefined,
    spanId: from.optionalText() as SpanId | undefined,
    service: from.text(),
    environment: from.text(),
    release: from.text(),
    sdk: from.text(),
    facts: from.list(readFact),
    contentType: from.text(),
    fileName: from.text(),
    attachmentType: from.text(),
    byteLength: from.number(),
    payload: from.bytes(),
    cuts: from.list(readCut),
  }
}

function writeFact(to: BatchWriter, [name, text]: ItemFact): void {
  to.text(name)
  to.text(text)
}

function readFact(from: BatchReader): ItemFact {
  return [from.text(), from.text()]
}

function writeCut(to: BatchWriter, { reason, count, sample }: ItemCut): void {
  to.text(reason)
  to.number(count)
  to.text(sample)
}

function readCut(from: BatchReader): ItemCut {
  return { reason: dropReason(from.text()), count: from.number(), sample: from.text() }
}
