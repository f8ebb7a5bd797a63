import { type DropCount, DropTally } from "../records/drop.ts"
import type { ErrorEvent, ErrorLevel } from "../records/error.ts"
import { readException } from "../records/exception.ts"
import type { LogRecord } from "../records/log.ts"
import type { Nanoseconds } from "../records/time.ts"
import { decodeMessage } from "./decode-message.ts"
import { type OtlpEncoding, undecodable, type Undecodable } from "./message.ts"
import { countLogRecords, readGroups, type SignalShape } from "./read-groups.ts"
import { readLog } from "./read-log.ts"
import { RecordReader } from "./record-reader.ts"
import { jsonScalars, protobufScalars } from "./scalars.ts"

export interface DecodedLogs {
  readonly ok: true
  readonly logs: readonly LogRecord[]
  /** The exceptions that logs tell of; these logs are among `logs` too. */
  readonly errors: readonly ErrorEvent[]
  /** Rejected records have the category `log_item`; what was cut from records that are kept has the category `default`. */
  readonly drops: readonly DropCount[]
}

export interface LogLimits {
  /** A request with more records than this is refused as a whole, before any is read. */
  readonly maxLogs: number
  /** Records from after this are rejected. */
  readonly latest: Nanoseconds
  /** For records that do not say when they happened. */
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
  const { attributes, time, traceId, spanId, resource, source } = log
  const level = levelOf(log.severityNumber)
  const error = readException({ attributes, time, traceId, spanId, resource, level, transaction: "", source })
  return error === undefined ? [] : [error]
}

/** By the ranges of the log data model; an exception of unknown severity is an error. */
function levelOf(severityNumber: number): ErrorLevel {
  if (severityNumber >= 21) return "fatal"
  if (severityNumber >= 17 || severityNumber === 0) return "error"
  if (severityNumber >= 13) return "warning"
  return severityNumber >= 9 ? "info" : "debug"
}
