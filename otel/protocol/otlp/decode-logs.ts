import { type DropCount, DropTally } from "../records/drop.ts"
import type { ErrorEvent, ErrorLevel } from "../records/error.ts"
import { readException } from "../records/exception.ts"
import { parseSpanId, parseTraceId } from "../records/ids.ts"
import type { LogRecord } from "../records/log.ts"
import { withLogId } from "../records/log-id.ts"
import type { InstrumentationScope, Resource } from "../records/span.ts"
import type { Nanoseconds } from "../records/time.ts"
import { decodeMessage } from "./decode-message.ts"
import { type OtlpEncoding, undecodable, type Undecodable } from "./message.ts"
import { countLogRecords, readGroups, type SignalShape } from "./read-groups.ts"
import { readAttributes, readBody } from "./read-value.ts"
import { jsonScalars, protobufScalars, type RawMessage, RecordReader } from "./record-reader.ts"

export interface DecodedLogs {
  readonly ok: true
  readonly logs: readonly LogRecord[]
  /** Exceptions of log records, which are also among `logs`. */
  readonly errors: readonly ErrorEvent[]
  /** Rejected records have the category `log_item`, cuts of accepted records the category `default`. */
  readonly drops: readonly DropCount[]
}

export interface LogLimits {
  /** A request with more records is refused before any is read. */
  readonly maxLogs: number
  /** Later records are rejected. */
  readonly latest: Nanoseconds
  /** Time of records without a timestamp. */
  readonly receivedAt: Nanoseconds
}

const SHAPE: SignalShape = {
  groups: "resourceLogs",
  scopeGroups: "scopeLogs",
  records: "logRecords",
  record: "a log record",
  category: "log_item",
}

/** Reads an `ExportLogsServiceRequest`. Both encodings of one request give equal records. */
export function decodeLogs(
  body: Uint8Array,
  encoding: OtlpEncoding,
  { latest, maxLogs, receivedAt }: LogLimits,
): DecodedLogs | Undecodable {
  const request = decodeMessage(body, encoding, "ExportLogsServiceRequest")
  if (!request.ok) return request
  const count = countLogRecords(request.message)
  if (count > maxLogs) return { ...undecodable("limit_spans", `the request holds more than ${maxLogs} logs`), count }
  const tally = new DropTally()
  const reader = new RecordReader(encoding === "json" ? jsonScalars : protobufScalars, tally)
  let position = 0
  const logs = readGroups(reader, request.message, SHAPE, (raw, { resource, scope }) =>
    readLog(reader, raw, { resource, scope, receivedAt, latest, position: position++ }),
  )
  const problem = reader.takeProblem()
  if (problem !== undefined) return undecodable("malformed", problem.text)
  return { ok: true, logs, errors: logs.flatMap(errorOfLog), drops: tally.list() }
}

function errorOfLog(log: LogRecord): ErrorEvent[] {
  const { attributes, logId, time, traceId, spanId, resource, source } = log
  const level = levelOf(log.severityNumber)
  const route = attributes.get("http.route")
  const transaction = typeof route === "string" ? route : ""
  const error = readException({ attributes, logId, time, traceId, spanId, resource, level, transaction, source })
  return error === undefined ? [] : [error]
}

/** Level by the severity ranges of the log data model. An exception without severity is an error. */
function levelOf(severityNumber: number): ErrorLevel {
  if (severityNumber >= 21) return "fatal"
  if (severityNumber >= 17 || severityNumber === 0) return "error"
  if (severityNumber >= 13) return "warning"
  return severityNumber >= 9 ? "info" : "debug"
}

/** Trace 1 to fatal 24; other numbers are read as unset, as proto3 requires for open enums. */
const MAX_SEVERITY = 24

export interface LogOrigin {
  readonly resource: Resource
  readonly scope: InstrumentationScope
  /** Time of records without a timestamp and without an observed timestamp. */
  readonly receivedAt: Nanoseconds
  readonly latest: Nanoseconds
  /** Index in the request. It distinguishes equal records of one request, and is the same in a retry. */
  readonly position: number
}

/**
 * Reads one log record. Its time is the timestamp, else the observed timestamp, else the time of arrival. Ids are absent,
 * all zeros (as some SDKs send without a trace) or valid.
 */
export function readLog(reader: RecordReader, raw: RawMessage, origin: LogOrigin): LogRecord {
  const timestamp = reader.time(raw["timeUnixNano"], "timeUnixNano")
  const observed = reader.time(raw["observedTimeUnixNano"], "observedTimeUnixNano")
  const time = timestamp || observed || origin.receivedAt
  if (time > origin.latest) reader.fail("invalid", "the log record is in the future")
  const traceHex = reader.hexId(raw["traceId"], "traceId")
  const spanHex = reader.hexId(raw["spanId"], "spanId")
  const severity = reader.enumNumber(raw["severityNumber"], "severityNumber")
  const log = {
    time,
    traceId: readId(reader, traceHex, parseTraceId, "traceId is not 16 bytes"),
    spanId: readId(reader, spanHex, parseSpanId, "spanId is not 8 bytes"),
    severityNumber: severity >= 0 && severity <= MAX_SEVERITY ? severity : 0,
    severityText: reader.text(raw["severityText"], "severityText"),
    eventName: reader.text(raw["eventName"], "eventName"),
    body: readBody(reader, raw["body"]),
    attributes: readAttributes(reader, raw["attributes"], "log attributes"),
    resource: origin.resource,
    scope: origin.scope,
    source: "otlp",
  } as const
  return withLogId(log, timestamp || observed, origin.position)
}

function readId<Id>(reader: RecordReader, hex: string, parse: (text: string) => Id | undefined, problem: string) {
  if (hex === "" || /^0+$/.test(hex)) return undefined
  const id = parse(hex)
  if (id === undefined) reader.fail("invalid", problem)
  return id
}
