import type { Nanoseconds } from "../../../protocol/records/time.ts"
import type { ClickHouse } from "../clickhouse.ts"
import { RETAINED_TABLES } from "./retained-tables.ts"

/**
 * The same statements over what ages and what is kept, as if both were one table. A row that is in both is read twice,
 * which readers expect of any row. Values are bound, so a table's name in a statement is the table.
 *
 * @param oldest what the ageing tables have of before this is not shown.
 */
export function withRetained(clickhouse: ClickHouse, oldest: Nanoseconds): ClickHouse {
  return clickhouse.reading((sql) => sql.replaceAll(TABLE, (_from, table: string) => `FROM ${bothSql(table, oldest)}`))
}

/** Every table that a statement reads; one that nothing is kept of stays as it is. */
const TABLE = /\bFROM (\w+)\b/g

function bothSql(name: string, oldest: Nanoseconds): string {
  const both = RETAINED_TABLES.find(({ table }) => table === name)
  if (both === undefined) return name
  const { table, kept, columns, time } = both
  const young = time === undefined ? "" : `WHERE ${time} >= fromUnixTimestamp64Nano(toInt64(${oldest}))`
  // Older releases of the collector's exporter have other types of whole numbers and times.
  const ageing = columns.map((column) => `${CASTS[`${table}.${column}`] ?? quoted(column)} AS ${quoted(column)}`)
  return `(SELECT ${ageing.join(", ")} FROM ${table} ${young} UNION ALL SELECT ${columns.map(quoted).join(", ")} FROM ${kept})`
}

const CASTS: Readonly<Record<string, string>> = {
  "otel_traces.Duration": "toUInt64(Duration)",
  "otel_traces_trace_id_ts.Start": "toDateTime(Start)",
  "otel_traces_trace_id_ts.End": "toDateTime(End)",
}

function quoted(column: string): string {
  return `\`${column}\``
}
