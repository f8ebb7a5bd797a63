import type { Nanoseconds } from "../../../protocol/records/time.ts"
import type { KnownValue } from "../../queries/list/entry-stats.ts"
import { namesOf } from "../../search/fields.ts"
import type { ClickHouse } from "../clickhouse.ts"
import { Bindings } from "./filter/bindings.ts"
import { readLimits } from "./limits.ts"
import { timeSql } from "./list-scope.ts"

/** Values that are offered, and attributes. */
const VALUES = 20
const ATTRIBUTES = 1_000
/** A value longer than this is none that somebody picks from a list. */
const VALUE_LENGTH = 200
const LIMITS = readLimits({ seconds: 3, rows: ATTRIBUTES })

/** Names of the attributes that stored spans have, the most frequent first. */
export async function knownAttributes(clickhouse: ClickHouse, oldest: Nanoseconds): Promise<readonly KnownValue[]> {
  const bindings = new Bindings()
  const since = timeSql(oldest, bindings)
  const of = (column: string) =>
    `SELECT arrayJoin(mapKeys(${column})) AS value, count() AS n FROM otel_traces WHERE Timestamp >= ${since} GROUP BY value`
  return clickhouse.select(
    `SELECT toString(value) AS value, toUInt32(sum(n)) AS spans
    FROM (${of("SpanAttributes")} UNION ALL ${of("ResourceAttributes")})
    GROUP BY value ORDER BY spans DESC, value LIMIT ${ATTRIBUTES} ${LIMITS}`,
    bindings.values,
  )
}

/** What a field or attribute can be, the most frequent first, of what contains the text. */
export async function knownValues(
  clickhouse: ClickHouse,
  field: string,
  text: string,
  oldest: Nanoseconds,
): Promise<readonly KnownValue[]> {
  const bindings = new Bindings()
  const { value, table, where } = columnOf(field, bindings)
  const contains = text === "" ? "true" : `position(lowerUTF8(value), ${bindings.bind(text.toLowerCase())}) > 0`
  return clickhouse.select(
    `SELECT ${value} AS value, toUInt32(count()) AS spans FROM ${table}
    WHERE Timestamp >= ${timeSql(oldest, bindings)} AND ${where} AND value != '' AND length(value) <= ${VALUE_LENGTH} AND ${contains}
    GROUP BY value ORDER BY spans DESC, value LIMIT ${VALUES} ${LIMITS}`,
    bindings.values,
  )
}

function columnOf(field: string, bindings: Bindings): { value: string; table: string; where: string } {
  if (field === "service") return { value: "toString(ServiceName)", table: "pagespan_spans", where: "true" }
  if (field === "name") return { value: "toString(SpanName)", table: "pagespan_spans", where: "IsRoot" }
  if (field === "span.name") return { value: "toString(SpanName)", table: "pagespan_spans", where: "true" }
  const places = namesOf(field).flatMap((name) => {
    const key = bindings.bind(name)
    return [`SpanAttributes[${key}]`, `ResourceAttributes[${key}]`]
  })
  return {
    value: places.reduceRight((rest, place) => `if(${place} != '', ${place}, ${rest})`),
    table: "otel_traces",
    where: "true",
  }
}
