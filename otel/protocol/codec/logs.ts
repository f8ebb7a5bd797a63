import type { SpanId, TraceId } from "../records/ids.ts"
import type { LogRecord } from "../records/log.ts"
import type { SpanSource } from "../records/span.ts"
import { nanoseconds } from "../records/time.ts"
import { readAttributes, readValue, writeAttributes, writeValue } from "./attributes.ts"
import type { BatchReader } from "./batch-reader.ts"
import type { BatchWriter } from "./batch-writer.ts"
import { readResource, readScope, writeResource, writeScope } from "./spans.ts"

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
