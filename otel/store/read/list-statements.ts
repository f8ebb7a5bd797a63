import { readLimits } from "./limits.ts"

/** The two statements of the trace list; see ./list-traces.ts for how they work together. */

const LIMITS = readLimits({ seconds: 10, rows: 100_000 })

/** The lowest time among the newest rows up to a time, and how many rows there were. */
export function findWindowSql(ofService: boolean): string {
  return `SELECT toString(toUnixTimestamp64Nano(min(Timestamp))) AS lowest, toUInt32(count()) AS count
  FROM (
    SELECT Timestamp FROM pagespan_starts
    WHERE Timestamp >= ${time("oldest")} AND Timestamp <= ${time("upTo")} ${ofService ? "AND ServiceName = {service:String}" : ""}
    ORDER BY Timestamp DESC LIMIT {size:UInt32}
  ) ${LIMITS}`
}

export interface SummaryRow {
  readonly traceId: string
  readonly name: string
  readonly rootService: string
  readonly services: readonly string[]
  readonly start: string
  readonly end: string
  readonly spanCount: number
  readonly errorCount: number
  readonly sources: readonly string[]
}

export interface SummaryScope {
  /** Whether only traces of one service are asked for. */
  readonly ofService: boolean
  /** Whether nothing is newer than the window. */
  readonly newest: boolean
}

/**
 * Sums up the traces that began in a window. A span that was stored twice counts once (`uniqExact`), and one that came
 * by both protocols is one span with two sources. The root names the trace; without one the earliest span does. The
 * tuple comparison continues behind the cursor.
 */
export function summariseSql(scope: SummaryScope): string {
  return `SELECT TraceId AS traceId,
    argMin(SpanName, (NOT IsRoot, Timestamp, SpanId)) AS name,
    argMin(ServiceName, (NOT IsRoot, Timestamp, SpanId)) AS rootService,
    arraySort(groupUniqArray(ServiceName)) AS services,
    toString(min(toUnixTimestamp64Nano(Timestamp))) AS start,
    toString(max(toUnixTimestamp64Nano(Timestamp) + Duration)) AS end,
    toUInt32(uniqExact(SpanId)) AS spanCount,
    toUInt32(uniqExactIf(SpanId, IsError)) AS errorCount,
    arraySort(groupUniqArray(Source)) AS sources
  FROM pagespan_spans WHERE TraceId IN (${candidates(scope)})
  GROUP BY TraceId
  HAVING min(Timestamp) > ${time("above")} AND min(Timestamp) >= ${time("oldest")}
    AND (min(Timestamp), TraceId) < (${time("afterStart")}, {afterId:String})
  ORDER BY min(Timestamp) DESC, TraceId DESC
  LIMIT {limit:UInt32} ${LIMITS}`
}

/** Traces with a row in the window, of which some began below it. A service may join a trace after the window's end. */
function candidates({ ofService, newest }: SummaryScope): string {
  const inWindow = `SELECT TraceId FROM pagespan_starts WHERE Timestamp > ${time("above")} AND Timestamp <= ${time("upTo")}`
  if (!ofService) return inWindow
  const since = `SELECT TraceId FROM pagespan_starts WHERE Timestamp > ${time("above")} AND ServiceName = {service:String}`
  return newest ? since : `${inWindow} AND TraceId IN (${since})`
}

function time(parameter: string): string {
  return `fromUnixTimestamp64Nano({${parameter}:Int64})`
}
