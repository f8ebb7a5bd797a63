import {
  type AttributeCounts,
  type Differences,
  LEAST_TRACES,
  rankDifferences,
  SAMPLED_SPANS,
  SAMPLED_TRACES,
  SHOWN_VALUES,
  type TraceGroup,
  VALUE_LENGTH,
} from "../../../queries/list/differences.ts"
import type { DifferenceQuery } from "../../../queries/list/trace-reader.ts"
import { CURRENT_NAMES } from "../../../search/fields.ts"
import { kindOfName } from "../../rows/stored-values.ts"
import { type ReadContext, readLimits, SqlBuilder } from "../context.ts"
import { TRACE_NAME, traceSql } from "../filter/trace-sql.ts"
import { candidatesSql, listScope, matchingSql, startedSql } from "./list-scope.ts"

/**
 * Two statements. The first groups the traces of the baseline by whether they are in the selection, and returns a sample of
 * each group: the traces whose ids have the smallest hashes, so the same ones each time. The second counts the attributes
 * of the sampled traces, each value once for each trace.
 */

/** Attributes that are ranked: more than any program has. */
const ATTRIBUTES = 2_000
const LIMITS = readLimits({ seconds: 10, rows: ATTRIBUTES })

interface Sample extends TraceGroup {
  readonly ids: readonly string[]
}

export async function readDifferences(context: ReadContext, query: DifferenceQuery): Promise<Differences> {
  const [selection, baseline] = await readSamples(context, query)
  const isCountable = selection.sampled > 0 && baseline.sampled > 0
  const counts = isCountable ? await countAttributes(context, query, selection, baseline) : []
  return rankDifferences(counts, groupOf(selection), groupOf(baseline), query.without)
}

function groupOf({ traces, sampled }: Sample): TraceGroup {
  return { traces, sampled }
}

interface SampleRow {
  readonly isSelected: boolean
  readonly traces: number
  /** By hash: a trace's id and its spans. */
  readonly sample: readonly (readonly [id: string, spans: number])[]
}

async function readSamples(
  context: ReadContext,
  { selection, baseline }: DifferenceQuery,
): Promise<readonly [selection: Sample, baseline: Sample]> {
  const sql = new SqlBuilder(context)
  const scope = listScope(baseline, context.oldest)
  const selected = { ...listScope(selection, context.oldest), service: undefined, filter: selection.filter }
  const rows = await context.clickhouse.select<SampleRow>(
    `SELECT isSelected, toUInt32(count()) AS traces,
      arrayMap(one -> (one.2, one.3), groupArraySorted(${SAMPLED_TRACES})((hash, id, spans))) AS sample
    FROM (
      SELECT TraceId AS id, cityHash64(TraceId) AS hash, toUInt32(count()) AS spans, (${isSelectedSql(selected, sql)}) AS isSelected
      FROM ${sql.from("pagespan_spans")} WHERE ${candidatesSql(scope, sql)} GROUP BY TraceId HAVING ${matchingSql(scope, sql)}
    ) GROUP BY isSelected ${LIMITS}`,
    sql.parameters,
  )
  const of = (isSelected: boolean) => sampleOf(rows.find((row) => Boolean(row.isSelected) === isSelected))
  return [of(true), of(false)]
}

function isSelectedSql(scope: ReturnType<typeof listScope>, sql: SqlBuilder): string {
  const started = startedSql(scope, sql)
  return scope.filter === undefined ? started : `${started} AND ${traceSql(scope.filter, scope.since, sql)}`
}

function sampleOf(row: SampleRow | undefined): Sample {
  if (row === undefined) return { traces: 0, sampled: 0, ids: [] }
  let total = 0
  const fits = row.sample.filter(([, spans], index) => (total += spans) <= SAMPLED_SPANS || index === 0)
  const ids = fits.map(([id]) => id)
  return { traces: row.traces, sampled: ids.length, ids }
}

async function countAttributes(
  context: ReadContext,
  query: DifferenceQuery,
  selection: Sample,
  baseline: Sample,
): Promise<readonly AttributeCounts[]> {
  const sql = new SqlBuilder(context)
  const selected = sql.bind(selection.ids, "Array(String)")
  const among = sql.bind([...selection.ids, ...baseline.ids], "Array(String)")
  const least = Math.min(LEAST_TRACES, selection.sampled)
  const difference = `ofBaseline / ${baseline.sampled} - ofSelection / ${selection.sampled}`
  const rows = await context.clickhouse.select<AttributeCounts>(
    `SELECT isField, name, toUInt32(count()) AS values, toUInt32(sum(ofSelection + ofBaseline)) AS occurrences,
      arrayMap(one -> (one.2, one.3, one.4),
        groupArraySortedIf(${SHOWN_VALUES})((${difference}, value, ofSelection, ofBaseline), ofSelection >= ${least}) AS sorted) AS top
    FROM (
      SELECT had.1 AS isField, had.2 AS name, had.3 AS value,
        toUInt32(uniqExactIf(trace, isSelected)) AS ofSelection, toUInt32(uniqExactIf(trace, NOT isSelected)) AS ofBaseline
      FROM (
        SELECT cityHash64(TraceId) AS trace, TraceId IN ${selected} AS isSelected, arrayJoin(pairs) AS had
        FROM (${fieldsSql(among, sql)} UNION ALL ${attributesSql(among, query, context, sql)})
      ) WHERE value != '' AND length(value) <= ${VALUE_LENGTH} GROUP BY isField, name, value
    ) GROUP BY isField, name ORDER BY empty(sorted), sorted[1].1, name LIMIT ${ATTRIBUTES} ${LIMITS}`,
    sql.parameters,
  )
  return rows.map((row) => ({
    ...row,
    isField: Boolean(row.isField),
    top:
      row.isField && row.name === "kind" ? row.top.map(([kind, ...of]) => [kindOfName(kind), ...of] as const) : row.top,
  }))
}

/** Fields of the filter language that the narrow table has. */
function fieldsSql(among: string, sql: SqlBuilder): string {
  return `SELECT TraceId, arrayConcat(
      [(true, 'name', toString(${TRACE_NAME})), (true, 'status', if(max(IsError), 'error', 'ok'))],
      arrayMap(each -> (true, 'service', toString(each)), groupUniqArray(ServiceName)),
      arrayMap(each -> (true, 'source', toString(each)), groupUniqArray(Source)),
      arrayMap(each -> (true, 'span.name', toString(each)), groupUniqArray(SpanName))
    ) AS pairs
    FROM ${sql.from("pagespan_spans")} WHERE TraceId IN ${among} GROUP BY TraceId`
}

/** The attributes of spans and resources under their current names, and the types of exceptions. */
function attributesSql(among: string, { baseline }: DifferenceQuery, context: ReadContext, sql: SqlBuilder): string {
  const { since } = listScope(baseline, context.oldest)
  const [old, current] = [[...CURRENT_NAMES.keys()], [...CURRENT_NAMES.values()]]
  const name = `transform(toString(key), ${sql.bind(old, "Array(String)")}, ${sql.bind(current, "Array(String)")})`
  const bag = (map: string) => `arrayMap((key, value) -> (false, ${name}, value), mapKeys(${map}), mapValues(${map}))`
  // The service is a field of its own.
  return `SELECT TraceId, arrayFilter(each -> each.2 != 'service.name', arrayConcat(
      ${bag("ResourceAttributes")}, ${bag("SpanAttributes")}, [(true, 'kind', toString(SpanKind))],
      arrayMap(event -> (false, 'exception.type', event['exception.type']), \`Events.Attributes\`)
    )) AS pairs
    FROM ${sql.from("otel_traces")} WHERE Timestamp >= ${sql.bindTime(since)} AND TraceId IN ${among}`
}
