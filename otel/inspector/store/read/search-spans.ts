import type { TraceId } from "../../../protocol/records/ids.ts"
import type { Nanoseconds } from "../../../protocol/records/time.ts"
import type { AttributeTerm } from "../../queries/trace/span-search.ts"
import type { ClickHouse } from "../clickhouse.ts"
import { readLimits } from "./limits.ts"
import { OUTLINE_LIMIT } from "./read-outline.ts"
import { IN_TRACE, readTraceTime } from "./trace-time.ts"

const LIMITS = readLimits({ seconds: 10, rows: OUTLINE_LIMIT })

/**
 * Ids of the spans of a trace whose attributes fit all terms, joined: 16 digits each. An attribute is one of the span, of its
 * resource or of one of its events, as text: numbers compare as they are written.
 */
export async function searchSpans(
  clickhouse: ClickHouse,
  traceId: TraceId,
  terms: readonly AttributeTerm[],
  oldest: Nanoseconds,
): Promise<string> {
  const time = await readTraceTime(clickhouse, traceId, oldest)
  if (time === undefined || terms.length === 0) return ""
  const conditions = terms.map((_, index) => termSql(index))
  const [row] = await clickhouse.select<{ ids: string }>(
    `SELECT arrayStringConcat(groupUniqArray(SpanId)) AS ids FROM otel_traces
    WHERE ${IN_TRACE} AND ${conditions.join(" AND ")} ${LIMITS}`,
    { ...time, ...Object.fromEntries(terms.flatMap(termParameters)) },
  )
  return row?.ids ?? ""
}

/** The value is a pattern of `LIKE`; one that is `%` alone asks whether the attribute is there. */
function termSql(index: number): string {
  const fits = (map: string) =>
    `(mapContains(${map}, {key${index}:String}) AND ${map}[{key${index}:String}] ILIKE {value${index}:String})`
  const ofEvents = `arrayExists(m -> ${fits("m")}, Events.Attributes)`
  return `(${fits("SpanAttributes")} OR ${fits("ResourceAttributes")} OR ${ofEvents})`
}

function termParameters({ key, value }: AttributeTerm, index: number): [string, string][] {
  return [
    [`key${index}`, key],
    [`value${index}`, likePattern(value)],
  ]
}

/** `*` stands for any text; everything else for itself. */
function likePattern(value: string): string {
  return value.replace(/[\\%_]/g, String.raw`\$&`).replaceAll("*", "%")
}
