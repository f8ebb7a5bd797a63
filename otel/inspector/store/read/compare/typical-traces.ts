import type { TraceId } from "../../../../protocol/records/ids.ts"
import { nanoseconds, type Nanoseconds } from "../../../../protocol/records/time.ts"
import type { RootLike, TypicalTrace, TypicalTraces } from "../../../queries/compare/compare-reader.ts"
import { fromNanosText, storableTime } from "../../rows/stored-values.ts"
import { type ReadContext, readLimits, SqlBuilder } from "../context.ts"

const DAY_NS = 86_400_000_000_000n
/** Roots at most: those nearest in time. More would hardly move a median. */
const ROOTS = 100_000
const LIMITS = readLimits({ seconds: 5, rows: 2 })

type TraceRow = readonly [duration: string, traceId: string, start: string, release: string]

interface Row {
  readonly isBefore: boolean
  readonly count: number
  readonly median: TraceRow
  readonly fastest: TraceRow
}

/** Of the roots or page loads like a trace's own that did not fail: those of the day before and after its start, and those of yesterday. */
export async function findTypicalTraces(context: ReadContext, like: RootLike): Promise<TypicalTraces> {
  const sql = new SqlBuilder(context)
  const at = (time: bigint) => sql.bindTime(storableTime(nanoseconds(time > 0n ? time : 0n)))
  const { start } = like
  const before = at(start - DAY_NS)
  const rows = await context.clickhouse.select<Row>(
    `SELECT isBefore, toUInt32(length(roots)) AS count, roots[intDiv(count, 2) + 1] AS median, roots[1] AS fastest
    FROM (SELECT isBefore, arraySort(groupArray(root)) AS roots FROM (
      SELECT Timestamp < ${before} AS isBefore, (leftPad(toString(Duration), 20, '0'), TraceId,
        toString(toUnixTimestamp64Nano(Timestamp)), ResourceAttributes['service.version']) AS root
      FROM otel_traces
      WHERE ServiceName = ${sql.bind(like.service)} AND SpanName = ${sql.bind(like.name)} AND ${like.isPageload ? "SpanAttributes['sentry.op'] = 'pageload'" : "ParentSpanId = ''"}
        AND TraceId != ${sql.bind(like.except)} AND StatusCode NOT IN ('Error', 'STATUS_CODE_ERROR')
        AND Timestamp >= ${sql.bindTime(context.oldest)} AND Timestamp >= ${at(start - 2n * DAY_NS)} AND Timestamp < ${at(start + DAY_NS)}
      ORDER BY abs(toUnixTimestamp64Nano(Timestamp) - ${sql.bind(start, "Int64")}) LIMIT 1 BY TraceId LIMIT ${ROOTS}
    ) GROUP BY isBefore) ${LIMITS}`,
    sql.parameters,
  )
  const around = rows.find(({ isBefore }) => !isBefore)
  const yesterday = rows.find(({ isBefore }) => isBefore)
  return {
    count: around?.count ?? 0,
    median: around && traceOf(around.median),
    fastest: around && traceOf(around.fastest),
    yesterdayCount: yesterday?.count ?? 0,
    yesterdayMedian: yesterday && traceOf(yesterday.median),
  }
}

function traceOf([duration, traceId, start, release]: TraceRow): TypicalTrace {
  return {
    traceId: traceId as TraceId,
    startTime: fromNanosText(start) as Nanoseconds,
    duration: nanoseconds(BigInt(duration)),
    release,
  }
}
