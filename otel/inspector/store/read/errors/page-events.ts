import type { ErrorEventPage, ErrorEventQuery } from "../../../queries/errors/error-reader.ts"
import { fromCursor, toCursor } from "../../../queries/list/list-cursor.ts"
import { ERROR_ROW_COLUMNS, type ErrorRow, toErrorEvent } from "../../rows/error-row.ts"
import { type ReadContext, readLimits, SqlBuilder } from "../context.ts"

const PAGE_LIMIT = 1_000
const LIMITS = readLimits({ seconds: 10, rows: PAGE_LIMIT + 1 })

/** A page of error events, oldest first. An event that was stored twice appears once. */
export async function pageErrorEvents(context: ReadContext, query: ErrorEventQuery): Promise<ErrorEventPage> {
  const limit = Math.min(Math.max(1, Math.trunc(query.limit)), PAGE_LIMIT)
  const sql = new SqlBuilder(context)
  const after = query.after === undefined ? undefined : fromCursor("events", query.after)
  const isLater =
    after === undefined ? "true" : `(Time, EventId) > (${sql.bindTime(after.value)}, ${sql.bind(after.id)})`
  const rows = await context.clickhouse.select<ErrorRow>(
    `SELECT ${ERROR_ROW_COLUMNS} FROM ${context.from("pagespan_errors")}
    WHERE Time >= ${sql.bindTime(context.oldest)} AND Source = ${sql.bind(query.source)} AND ${isLater}
    ORDER BY Time, EventId LIMIT 1 BY EventId LIMIT ${limit + 1} ${LIMITS}`,
    sql.parameters,
  )
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const next =
    rows.length > limit && last !== undefined
      ? toCursor("events", { value: BigInt(last.time), id: last.eventId })
      : undefined
  return { events: page.map(toErrorEvent), next }
}
