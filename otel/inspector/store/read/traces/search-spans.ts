import type { TraceId } from "../../../../protocol/records/ids.ts"
import type { AttributeTerm } from "../../../queries/trace/span-search.ts"
import { escapeLike } from "../../sql-text.ts"
import { type ReadContext, readLimits } from "../context.ts"
import { OUTLINE_LIMIT } from "./read-outline.ts"
import { IN_TRACE, readTraceTime } from "./read-trace.ts"

const LIMITS = readLimits({ seconds: 10, rows: OUTLINE_LIMIT })

/**
 * Ids of the spans of a trace whose attributes match all terms, concatenated: 16 digits each. A term matches an attribute
 * of the span, of its resource or of one of its events, as text: numbers compare as they are written.
 */
export async function searchSpans(
  context: ReadContext,
  traceId: TraceId,
  terms: readonly AttributeTerm[],
): Promise<string> {
  const time = await readTraceTime(context, traceId)
  if (time === undefined || terms.length === 0) return ""
  const conditions = terms.map((_, index) => termSql(index))
  const [row] = await context.clickhouse.select<{ ids: string }>(
    `SELECT arrayStringConcat(groupUniqArray(SpanId)) AS ids FROM ${context.from("otel_traces")}
    WHERE ${IN_TRACE} AND ${conditions.join(" AND ")} ${LIMITS}`,
    { ...time, ...Object.fromEntries(terms.flatMap(termParameters)) },
  )
  return row?.ids ?? ""
}

/** The value is a `LIKE` pattern; `%` alone matches any value, so the attribute only has to exist. */
function termSql(index: number): string {
  const matches = (map: string) =>
    `(mapContains(${map}, {key${index}:String}) AND ${map}[{key${index}:String}] ILIKE {value${index}:String})`
  const ofEvents = `arrayExists(m -> ${matches("m")}, Events.Attributes)`
  return `(${matches("SpanAttributes")} OR ${matches("ResourceAttributes")} OR ${ofEvents})`
}

function termParameters({ key, value }: AttributeTerm, index: number): [string, string][] {
  return [
    [`key${index}`, key],
    [`value${index}`, likePattern(value)],
  ]
}

/** `*` matches any text; every other character matches itself. */
function likePattern(value: string): string {
  return escapeLike(value).replaceAll("*", "%")
}
