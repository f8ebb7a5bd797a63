import { type ErrorEvent, errorTitle } from "../../../protocol/records/error.ts"
import type { SpanId, TraceId } from "../../../protocol/records/ids.ts"
import { nanoseconds, type Nanoseconds } from "../../../protocol/records/time.ts"
import type { BackLink, TraceError } from "../../queries/list/trace-reader.ts"
import type { ClickHouse } from "../clickhouse.ts"
import { ERROR_ROW_COLUMNS, type ErrorRow, toErrorEvent } from "../rows/error-row.ts"
import { fromNanosText } from "../rows/timestamp.ts"
import { readLimits } from "./limits.ts"

/** Errors of one trace that are marked in it. */
const ERROR_LIMIT = 1_000
const BACK_LINK_LIMIT = 50
const LIMITS = readLimits({ seconds: 5, rows: ERROR_LIMIT })

/** What went wrong in a trace, by time: the newest telling of each event. */
export async function listTraceErrors(
  clickhouse: ClickHouse,
  traceId: TraceId,
  oldest: Nanoseconds,
): Promise<readonly TraceError[]> {
  const rows = await clickhouse.select<
    Omit<TraceError, "time" | "title"> & { time: string; type: string; value: string }
  >(
    `SELECT EventId AS eventId, IssueId AS issueId, SpanId AS spanId, toString(toUnixTimestamp64Nano(Time)) AS time,
      Type AS type, substring(Value, 1, 300) AS value, Source AS source
    FROM pagespan_errors WHERE TraceId = {traceId:String} AND Time >= fromUnixTimestamp64Nano({oldest:Int64})
    ORDER BY Time, EventId LIMIT 1 BY EventId LIMIT ${ERROR_LIMIT} ${LIMITS}`,
    { traceId, oldest: String(oldest) },
  )
  return rows.map(({ type, value, time, ...row }) => ({
    ...row,
    time: nanoseconds(fromNanosText(time)),
    title: errorTitle({ type, value }),
  }))
}

/**
 * Spans that link to a span: the other end of OpenTelemetry's links, which only the linking side tells. No index leads
 * there, but the column is empty for nearly all spans and read in one go.
 */
export async function readBackLinks(
  clickhouse: ClickHouse,
  traceId: TraceId,
  spanId: SpanId,
  oldest: Nanoseconds,
): Promise<readonly BackLink[]> {
  return clickhouse.select<BackLink>(
    `SELECT TraceId AS traceId, SpanId AS spanId, SpanName AS name, ServiceName AS service
    FROM otel_traces
    WHERE Timestamp >= fromUnixTimestamp64Nano({oldest:Int64}) AND notEmpty(Links.SpanId)
      AND arrayExists((t, s) -> t = {traceId:String} AND s = {spanId:String}, Links.TraceId, Links.SpanId)
    ORDER BY Timestamp DESC LIMIT 1 BY TraceId, SpanId LIMIT ${BACK_LINK_LIMIT} ${LIMITS}`,
    { traceId, spanId, oldest: String(oldest) },
  )
}

const TRACE_ERROR_LIMIT = 50
const TRACE_ERROR_LIMITS = readLimits({ seconds: 10, rows: TRACE_ERROR_LIMIT })

/** The errors of a trace by time, each once. */
export async function readErrorsOfTrace(
  clickhouse: ClickHouse,
  traceId: TraceId,
  oldest: Nanoseconds,
): Promise<readonly ErrorEvent[]> {
  const rows = await clickhouse.select<ErrorRow>(
    `SELECT ${ERROR_ROW_COLUMNS} FROM pagespan_errors
    WHERE TraceId = {traceId:String} AND Time >= fromUnixTimestamp64Nano({oldest:Int64})
    ORDER BY Time, EventId LIMIT 1 BY EventId LIMIT ${TRACE_ERROR_LIMIT} ${TRACE_ERROR_LIMITS}`,
    { traceId, oldest: String(oldest) },
  )
  return rows.map(toErrorEvent)
}
