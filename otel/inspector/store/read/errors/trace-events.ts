import { type ErrorEvent, errorTitle } from "../../../../protocol/records/error.ts"
import type { TraceId } from "../../../../protocol/records/ids.ts"
import { nanoseconds } from "../../../../protocol/records/time.ts"
import type { TraceError } from "../../../queries/list/trace-reader.ts"
import type { TraceSummary } from "../../../queries/list/trace-summary.ts"
import { ERROR_ROW_COLUMNS, type ErrorRow, toErrorEvent } from "../../rows/error-row.ts"
import { fromNanosText } from "../../rows/stored-values.ts"
import { type ReadContext, readLimits } from "../context.ts"
import { BEFORE_TRACE } from "../filter/trace-sql.ts"

/** Errors of traces; those of one are ordered by time. An event that was stored twice appears once. */

/** Errors that a trace's chart marks. */
const MARK_LIMIT = 1_000
/** Errors that are read in full. */
const ERROR_LIMIT = 50
const MARK_LIMITS = readLimits({ seconds: 5, rows: MARK_LIMIT })
const ERROR_LIMITS = readLimits({ seconds: 10, rows: ERROR_LIMIT })

/** Titles and spans of the errors. */
export async function listTraceErrors(context: ReadContext, traceId: TraceId): Promise<readonly TraceError[]> {
  const rows = await context.clickhouse.select<
    Omit<TraceError, "time" | "title"> & { time: string; type: string; value: string }
  >(
    `SELECT EventId AS eventId, IssueId AS issueId, SpanId AS spanId, toString(toUnixTimestamp64Nano(Time)) AS time,
      Type AS type, substring(Value, 1, 300) AS value, Source AS source
    FROM ${context.from("pagespan_errors")} WHERE TraceId = {traceId:String} AND Time >= fromUnixTimestamp64Nano({oldest:Int64})
    ORDER BY Time, EventId LIMIT 1 BY EventId LIMIT ${MARK_LIMIT} ${MARK_LIMITS}`,
    { traceId, oldest: String(context.oldest) },
  )
  return rows.map(({ type, value, time, ...row }) => ({
    ...row,
    time: nanoseconds(fromNanosText(time)),
    title: errorTitle({ type, value }),
  }))
}

const COUNT_SECONDS = 5

/** How many errors were reported in each trace of a page of the list. Traces without any are left out. */
export async function countTraceErrors(
  context: ReadContext,
  traces: readonly Pick<TraceSummary, "traceId" | "startTime">[],
): Promise<ReadonlyMap<string, number>> {
  const [first] = traces
  if (first === undefined) return new Map()
  const start = traces.reduce((least, { startTime }) => (startTime < least ? startTime : least), first.startTime)
  const since = start - BEFORE_TRACE
  const rows = await context.clickhouse.select<{ traceId: string; count: number }>(
    `SELECT TraceId AS traceId, toUInt32(uniqExact(EventId)) AS count FROM ${context.from("pagespan_errors")}
    WHERE TraceId IN {traceIds:Array(String)} AND Time >= fromUnixTimestamp64Nano({since:Int64})
    GROUP BY traceId LIMIT ${traces.length} ${readLimits({ seconds: COUNT_SECONDS, rows: traces.length })}`,
    {
      traceIds: traces.map(({ traceId }) => traceId),
      since: String(since > context.oldest ? since : context.oldest),
    },
  )
  return new Map(rows.map(({ traceId, count }) => [traceId, count]))
}

export async function readErrorsOfTrace(context: ReadContext, traceId: TraceId): Promise<readonly ErrorEvent[]> {
  const rows = await context.clickhouse.select<ErrorRow>(
    `SELECT ${ERROR_ROW_COLUMNS} FROM ${context.from("pagespan_errors")}
    WHERE TraceId = {traceId:String} AND Time >= fromUnixTimestamp64Nano({oldest:Int64})
    ORDER BY Time, EventId LIMIT 1 BY EventId LIMIT ${ERROR_LIMIT} ${ERROR_LIMITS}`,
    { traceId, oldest: String(context.oldest) },
  )
  return rows.map(toErrorEvent)
}
