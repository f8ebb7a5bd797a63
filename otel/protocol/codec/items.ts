import type { DropReason } from "../records/drop.ts"
import type { ItemCut, ItemFact, ItemRecord } from "../records/envelope-item.ts"
import type { SpanId, TraceId } from "../records/ids.ts"
import { nanoseconds } from "../records/time.ts"
import type { BatchReader } from "./batch-reader.ts"
import type { BatchWriter } from "./batch-writer.ts"

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
  return { reason: from.text() as DropReason, count: from.number(), sample: from.text() }
}
