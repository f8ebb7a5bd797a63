import { parseSpanId, parseTraceId, recordId } from "../records/ids.ts"
import type { LogRecord } from "../records/log.ts"
import type { InstrumentationScope, Resource } from "../records/span.ts"
import type { Nanoseconds } from "../records/time.ts"
import { readAttributes, readBody } from "./read-value.ts"
import type { RawMessage, RecordReader } from "./record-reader.ts"

/** Trace 1 to fatal 24; other numbers are read as unset, as proto3 asks of open enums. */
const MAX_SEVERITY = 24

export interface LogOrigin {
  readonly resource: Resource
  readonly scope: InstrumentationScope
  /** For records that say neither when they happened nor when they were observed. */
  readonly receivedAt: Nanoseconds
  readonly latest: Nanoseconds
  /** Place in the request: two equal records of one request are two, the same request sent again is the same. */
  readonly position: number
}

/**
 * Reads one log record. A record without a time happened when it was observed, or else when it arrived. Ids are absent,
 * all zeros (as some SDKs say "no trace") or valid.
 */
export function readLog(reader: RecordReader, raw: RawMessage, origin: LogOrigin): LogRecord {
  const told = reader.time(raw["timeUnixNano"], "timeUnixNano")
  const observed = reader.time(raw["observedTimeUnixNano"], "observedTimeUnixNano")
  const time = told || observed || origin.receivedAt
  if (time > origin.latest) reader.fail("invalid", "the log is from the future")
  const traceHex = reader.hexId(raw["traceId"], "traceId")
  const spanHex = reader.hexId(raw["spanId"], "spanId")
  const severity = reader.enumNumber(raw["severityNumber"], "severityNumber")
  const severityText = reader.text(raw["severityText"], "severityText")
  const eventName = reader.text(raw["eventName"], "eventName")
  const body = readBody(reader, raw["body"])
  return {
    logId: recordId(
      String(told || observed),
      String(origin.position),
      traceHex,
      spanHex,
      String(severity),
      severityText,
      eventName,
      typeof body === "string" ? body : "",
    ),
    time,
    traceId: readId(reader, traceHex, parseTraceId, "traceId is not 16 bytes"),
    spanId: readId(reader, spanHex, parseSpanId, "spanId is not 8 bytes"),
    severityNumber: severity >= 0 && severity <= MAX_SEVERITY ? severity : 0,
    severityText,
    eventName,
    body,
    attributes: readAttributes(reader, raw["attributes"], "log attributes"),
    resource: origin.resource,
    scope: origin.scope,
    source: "otlp",
  }
}

function readId<Id>(reader: RecordReader, hex: string, parse: (text: string) => Id | undefined, problem: string) {
  if (hex === "" || /^0+$/.test(hex)) return undefined
  const id = parse(hex)
  if (id === undefined) reader.fail("invalid", problem)
  return id
}
