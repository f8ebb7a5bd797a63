import { SEVERITIES } from "../../../../protocol/records/log.ts"
import type { LogFacets, LogList, LogListQuery, LogOverview, LogScope } from "../../../queries/logs/log-reader.ts"
import { fromCursor, type ListPosition, toCursor } from "../../../queries/list/list-cursor.ts"
import { LOG_ROW_COLUMNS, type LogRow, toLogRecord } from "../../rows/log-row.ts"
import { LATEST_TIME, storableTime } from "../../rows/stored-values.ts"
import { type ReadContext, readLimits, SqlBuilder } from "../context.ts"
import { logSql, SEVERITY_SQL } from "../filter/log-sql.ts"
import { momentSql } from "../moments.ts"

/** Queries of logs. A record that was stored twice appears and counts once. */

const PAGE_LIMIT = 1_000
const LIMITS = readLimits({ seconds: 10, rows: PAGE_LIMIT + 1 })
/** 60 days have at most 5,400 moments. */
const MOMENT_ROWS = 10_000
const FACET_ROWS = 100
const FACET_LIMITS = readLimits({ seconds: 10, rows: FACET_ROWS })
const MOMENT_LIMITS = readLimits({ seconds: 10, rows: MOMENT_ROWS })

/**
 * A page of logs by time, newest or oldest first, in pages that stay stable while logs arrive. ClickHouse reads rows in this
 * order and stops at the limit. `LIMIT BY` would read the whole table (3 s at 500,000 logs instead of 0.1), so records that
 * were stored twice are left out here, and the rows that are missing then are read behind them.
 */
export async function listLogs(context: ReadContext, query: LogListQuery): Promise<LogList> {
  const limit = Math.min(Math.max(1, Math.trunc(query.limit)), PAGE_LIMIT)
  // One more than the page: it shows whether there is a next page.
  const rows = new Map<string, LogRow>()
  let after = query.after === undefined ? undefined : fromCursor("logs", query.after)
  for (;;) {
    const wanted = limit + 1 - rows.size
    const some = await readRows(context, query, after, wanted)
    for (const row of some) if (!rows.has(row.logId)) rows.set(row.logId, row)
    const last = some.at(-1)
    if (last === undefined || some.length < wanted || rows.size > limit) break
    after = positionOf(last)
  }
  const page = [...rows.values()]
  const end = page.length > limit ? page[limit - 1] : undefined
  return { logs: page.slice(0, limit).map(toLogRecord), next: end && toCursor("logs", positionOf(end)) }
}

async function readRows(
  context: ReadContext,
  query: LogListQuery,
  after: ListPosition | undefined,
  limit: number,
): Promise<readonly LogRow[]> {
  const [comesAfter, direction] = query.isOldestFirst ? [">", "ASC"] : ["<", "DESC"]
  const sql = new SqlBuilder(context)
  const conditions = [scopeSql(context, query, sql)]
  if (after !== undefined) {
    const time = sql.bindTime(bounded(after.value))
    // The first condition is the one that the primary key can use.
    conditions.push(`Timestamp ${comesAfter}= ${time}`)
    conditions.push(`(Timestamp, LogId) ${comesAfter} (${time}, ${sql.bind(after.id)})`)
  }
  return context.clickhouse.select<LogRow>(
    `SELECT ${LOG_ROW_COLUMNS} FROM ${context.from("pagespan_logs")} WHERE ${conditions.join(" AND ")}
    ORDER BY Timestamp ${direction}, LogId ${direction} LIMIT ${limit} ${LIMITS}`,
    sql.parameters,
  )
}

function positionOf({ time, logId }: LogRow): ListPosition {
  return { value: BigInt(time), id: logId }
}

interface MomentRow {
  readonly moment: string
  readonly logs: number
  readonly warnings: number
  readonly errors: number
}

/** Counts the logs of a scope by the moment of their time, and by severity. */
export async function overviewLogs(context: ReadContext, scope: LogScope, nowMs: number): Promise<LogOverview> {
  const sql = new SqlBuilder(context)
  const endMs = scope.until === undefined ? BigInt(nowMs) : scope.until / 1_000_000n
  const moment = momentSql("toUnixTimestamp64Milli(Timestamp)", sql.bind(endMs, "Int64"))
  // A hash of the id takes a quarter of its memory.
  const rows = await context.clickhouse.select<MomentRow>(
    `SELECT toString(moment) AS moment, toUInt32(uniqExact(id)) AS logs,
      toUInt32(uniqExactIf(id, severity BETWEEN 13 AND 16)) AS warnings, toUInt32(uniqExactIf(id, severity > 16)) AS errors
    FROM (
      SELECT ${moment} AS moment, cityHash64(LogId) AS id, ${SEVERITY_SQL} AS severity
      FROM ${context.from("pagespan_logs")} WHERE ${scopeSql(context, scope, sql)}
    ) GROUP BY moment ORDER BY moment LIMIT ${MOMENT_ROWS} ${MOMENT_LIMITS}`,
    sql.parameters,
  )
  return {
    logs: rows.reduce((sum, { logs }) => sum + logs, 0),
    moments: rows.map(({ moment: at, ...counts }) => ({ atMs: Number(at), ...counts })).sort((a, b) => a.atMs - b.atMs),
  }
}

/** Counts the logs of a scope by severity and by service. */
export async function countLogFacets(context: ReadContext, scope: LogScope): Promise<LogFacets> {
  const sql = new SqlBuilder(context)
  const rows = await context.clickhouse.select<{ isService: number; level: number; service: string; count: number }>(
    `SELECT toUInt8(grouping(service)) = 0 AS isService, toInt32(level) AS level, service, toUInt32(uniqExact(id)) AS count
    FROM (
      SELECT cityHash64(LogId) AS id, toString(ServiceName) AS service,
        least(intDiv(${SEVERITY_SQL} + 3, 4), ${SEVERITIES.length}) AS level
      FROM ${context.from("pagespan_logs")} WHERE ${scopeSql(context, scope, sql)}
    ) GROUP BY GROUPING SETS ((level), (service)) ORDER BY isService, count DESC, service LIMIT ${FACET_ROWS} ${FACET_LIMITS}`,
    sql.parameters,
  )
  const levels = new Map(rows.filter(({ isService }) => !isService).map(({ level, count }) => [level, count]))
  return {
    severities: SEVERITIES.map((value, index) => ({ value, count: levels.get(index + 1) ?? 0 })).toReversed(),
    services: rows.filter(({ isService }) => isService).map(({ service, count }) => ({ value: service, count })),
  }
}

function scopeSql(context: ReadContext, { traceId, since, until, filter }: LogScope, sql: SqlBuilder): string {
  const from = storableTime(since ?? context.oldest)
  return [
    `Timestamp >= ${sql.bindTime(from > context.oldest ? from : context.oldest)}`,
    ...(until === undefined ? [] : [`Timestamp < ${sql.bindTime(storableTime(until))}`]),
    ...(traceId === undefined ? [] : [`TraceId = ${sql.bind(traceId)}`]),
    ...(filter === undefined ? [] : [logSql(filter, sql)]),
  ].join(" AND ")
}

function bounded(time: bigint): bigint {
  return time > LATEST_TIME ? LATEST_TIME : time
}
