import type { KnownValue } from "../../../queries/list/entry-stats.ts"
import { namesOf, SHORT_NAMES } from "../../../search/fields.ts"
import { type ReadContext, SqlBuilder } from "../context.ts"
import { ATTRIBUTE_LIMIT, KNOWN_LIMITS, VALUE_LENGTH, VALUE_LIMIT } from "../suggestion-limits.ts"

/** Stored values of logs, for the filter's suggestions. */

/** Names of the attributes of logs, the most frequent first. */
export async function knownLogAttributes(context: ReadContext): Promise<readonly KnownValue[]> {
  const sql = new SqlBuilder(context)
  return context.clickhouse.select(
    `SELECT toString(value) AS value, toUInt32(count()) AS spans
    FROM (
      SELECT arrayJoin(arrayConcat(mapKeys(LogAttributes), mapKeys(ResourceAttributes))) AS value
      FROM pagespan_logs WHERE Timestamp >= ${sql.bindTime(context.oldest)}
    ) GROUP BY value ORDER BY spans DESC, value LIMIT ${ATTRIBUTE_LIMIT} ${KNOWN_LIMITS}`,
    sql.parameters,
  )
}

/** Values of a field or attribute that contain the text, the most frequent first. */
export async function knownLogValues(
  context: ReadContext,
  field: string,
  text: string,
): Promise<readonly KnownValue[]> {
  const sql = new SqlBuilder(context)
  const contains = text === "" ? "true" : `position(lowerUTF8(value), ${sql.bind(text.toLowerCase())}) > 0`
  return context.clickhouse.select(
    `SELECT ${valueSql(field, sql)} AS value, toUInt32(count()) AS spans FROM pagespan_logs
    WHERE Timestamp >= ${sql.bindTime(context.oldest)} AND value != '' AND length(value) <= ${VALUE_LENGTH} AND ${contains}
    GROUP BY value ORDER BY spans DESC, value LIMIT ${VALUE_LIMIT} ${KNOWN_LIMITS}`,
    sql.parameters,
  )
}

const COLUMNS: ReadonlyMap<string, string> = new Map([
  ["service", "toString(ServiceName)"],
  ["event.name", "toString(EventName)"],
  ["trace", "TraceId"],
  ["span", "SpanId"],
  ["body", "Body"],
])

function valueSql(field: string, sql: SqlBuilder): string {
  const column = COLUMNS.get(field)
  if (column !== undefined) return column
  const values = namesOf(SHORT_NAMES.get(field) ?? field).flatMap((name) => {
    const key = sql.bind(name)
    return [`LogAttributes[${key}]`, `ResourceAttributes[${key}]`]
  })
  return values.reduceRight((rest, value) => `if(${value} != '', ${value}, ${rest})`)
}
