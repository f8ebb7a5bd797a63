import type { AppStart, KnownValue } from "../../../queries/list/entry-stats.ts"
import { namesOf } from "../../../search/fields.ts"
import { fromNanosText } from "../../rows/stored-values.ts"
import { type ReadContext, readLimits, SqlBuilder } from "../context.ts"
import { ofServiceSql } from "./list-scope.ts"
import { ATTRIBUTE_LIMIT, KNOWN_LIMITS, VALUE_LENGTH, VALUE_LIMIT } from "../suggestion-limits.ts"

/** Stored values, for the filter's suggestions and the list of app starts. */

const STARTS = 60
const START_LIMITS = readLimits({ seconds: 5, rows: STARTS })

/** Names of the attributes of stored spans, the most frequent first. */
export async function knownAttributes(context: ReadContext): Promise<readonly KnownValue[]> {
  const sql = new SqlBuilder(context)
  const since = sql.bindTime(context.oldest)
  const of = (column: string) =>
    `SELECT arrayJoin(mapKeys(${column})) AS value, count() AS n FROM otel_traces WHERE Timestamp >= ${since} GROUP BY value`
  return context.clickhouse.select(
    `SELECT toString(value) AS value, toUInt32(sum(n)) AS spans
    FROM (${of("SpanAttributes")} UNION ALL ${of("ResourceAttributes")})
    GROUP BY value ORDER BY spans DESC, value LIMIT ${ATTRIBUTE_LIMIT} ${KNOWN_LIMITS}`,
    sql.parameters,
  )
}

/** Values of a field or attribute that contain the text, the most frequent first. */
export async function knownValues(context: ReadContext, field: string, text: string): Promise<readonly KnownValue[]> {
  const sql = new SqlBuilder(context)
  const { value, table, where } = columnOf(field, sql)
  const contains = text === "" ? "true" : `position(lowerUTF8(value), ${sql.bind(text.toLowerCase())}) > 0`
  return context.clickhouse.select(
    `SELECT ${value} AS value, toUInt32(count()) AS spans FROM ${table}
    WHERE Timestamp >= ${sql.bindTime(context.oldest)} AND ${where} AND value != '' AND length(value) <= ${VALUE_LENGTH} AND ${contains}
    GROUP BY value ORDER BY spans DESC, value LIMIT ${VALUE_LIMIT} ${KNOWN_LIMITS}`,
    sql.parameters,
  )
}

/** Whether a span of any other service is stored. The engine stops at the first. */
export async function hasOtherServices(context: ReadContext, services: readonly string[]): Promise<boolean> {
  const sql = new SqlBuilder(context)
  const rows = await context.clickhouse.select(
    `SELECT 1 FROM pagespan_starts
    WHERE Timestamp >= ${sql.bindTime(context.oldest)}${ofServiceSql({ is: "other", names: services }, sql)}
    LIMIT 1 ${KNOWN_LIMITS}`,
    sql.parameters,
  )
  return rows.length > 0
}

function columnOf(field: string, sql: SqlBuilder): { value: string; table: string; where: string } {
  if (field === "service") return { value: "toString(ServiceName)", table: "pagespan_spans", where: "true" }
  if (field === "name") return { value: "toString(SpanName)", table: "pagespan_spans", where: "IsRoot" }
  if (field === "span.name") return { value: "toString(SpanName)", table: "pagespan_spans", where: "true" }
  const columns = namesOf(field).flatMap((name) => {
    const key = sql.bind(name)
    return [`SpanAttributes[${key}]`, `ResourceAttributes[${key}]`]
  })
  return {
    value: columns.reduceRight((rest, column) => `if(${column} != '', ${column}, ${rest})`),
    table: "otel_traces",
    where: "true",
  }
}

type StartRow = Omit<AppStart, "first" | "last"> & { readonly first: string; readonly last: string }

/** Instances of apps whose resource names an instance or a run, the latest first. */
export async function appStarts(context: ReadContext): Promise<readonly AppStart[]> {
  const sql = new SqlBuilder(context)
  const rows = await context.clickhouse.select<StartRow>(
    `SELECT ServiceName AS service, ResourceAttributes['service.instance.id'] AS instance,
      ResourceAttributes['pagespan.run'] AS run, ResourceAttributes['service.version'] AS version,
      toString(toUnixTimestamp64Nano(min(Timestamp))) AS first, toString(toUnixTimestamp64Nano(max(Timestamp))) AS last,
      toUInt32(uniq(TraceId)) AS traces
    FROM otel_traces WHERE Timestamp >= ${sql.bindTime(context.oldest)} AND (instance != '' OR run != '')
    GROUP BY service, instance, run, version ORDER BY max(Timestamp) DESC LIMIT ${STARTS} ${START_LIMITS}`,
    sql.parameters,
  )
  return rows.map((row) => ({ ...row, first: fromNanosText(row.first), last: fromNanosText(row.last) }))
}
