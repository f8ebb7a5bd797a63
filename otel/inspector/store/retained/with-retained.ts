import { nanoseconds } from "../../../protocol/records/time.ts"
import type { ReadContext } from "../read/context.ts"
import { storedColumns, type Table } from "../schema/ddl.ts"
import { RETAINED, RETAINED_TRACES } from "../schema/record-tables.ts"
import { ROUTES, ROUTES_VIEW } from "../schema/span-tables.ts"
import { columnName } from "../sql-text.ts"

/**
 * The same context over expiring rows and the copies for retained runs, as if both were one table. A query gets a row
 * that is in both twice, as it may get any row.
 */
export function withRetained({ clickhouse, oldest }: ReadContext): ReadContext {
  const sources = new Map(RETAINED.map((both) => [both.source.name, unionSql(both, oldest)]))
  sources.set(ROUTES.name, routesSql(oldest))
  // The union applies the retention: copies are older.
  return { clickhouse, oldest: nanoseconds(0n), from: (table) => sources.get(table) ?? table }
}

function unionSql({ source, retained }: { readonly source: Table; readonly retained: Table }, oldest: bigint): string {
  const columns = storedColumns(source)
  // No query bounds the lookup table of trace times by its own time.
  const inRetention =
    source.time === "Start" ? "" : `WHERE ${source.time} >= fromUnixTimestamp64Nano(toInt64(${oldest}))`
  const expiring = columns.map(
    (column) => `${CASTS[`${source.name}.${column}`] ?? columnName(column)} AS ${columnName(column)}`,
  )
  return `(SELECT ${expiring.join(", ")} FROM ${source.name} ${inRetention} UNION ALL SELECT ${columns.map(columnName).join(", ")} FROM ${retained.name})`
}

/** Measurements of routes are not copied: the copied spans have them. */
function routesSql(oldest: bigint): string {
  const columns = storedColumns(ROUTES).map(columnName).join(", ")
  const expiring = `SELECT ${columns} FROM ${ROUTES.name} WHERE Timestamp >= fromUnixTimestamp64Nano(toInt64(${oldest}))`
  return `(${expiring} UNION ALL SELECT ${columns} FROM (${ROUTES_VIEW.select(RETAINED_TRACES.name)}))`
}

/** Older releases of the collector's exporter have other types of integers and times. */
const CASTS: Readonly<Record<string, string>> = {
  "otel_traces.Duration": "toUInt64(Duration)",
  "otel_traces_trace_id_ts.Start": "toDateTime(Start)",
  "otel_traces_trace_id_ts.End": "toDateTime(End)",
}
