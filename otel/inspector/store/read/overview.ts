import type { Nanoseconds } from "../../../protocol/records/time.ts"
import { type FacetValue, MOMENTS, type SpanFacets, type TraceOverview } from "../../queries/list/trace-overview.ts"
import type { TraceScope } from "../../queries/list/trace-reader.ts"
import type { ClickHouse } from "../clickhouse.ts"
import { kindOfWord } from "../rows/span-words.ts"
import { Bindings } from "./filter/bindings.ts"
import { traceSql } from "./filter/trace-sql.ts"
import { readLimits } from "./limits.ts"
import { candidatesSql, listScope, type ListScope, startedSql } from "./list-scope.ts"

/** Values of a facet that are read: past some dozens nobody picks from a list. */
const FACET_VALUES = 50
/** Of each kind; there are at most 5,400 moments in 60 days. */
const ROWS = 10_000
const LIMITS = readLimits({ seconds: 10, rows: 2 * ROWS })

interface CountRow {
  readonly kind: "moment" | "service"
  /** A moment's begin in milliseconds. */
  readonly value: string
  readonly traces: number
  readonly failed: number
  readonly otlp: number
  readonly sentry: number
  readonly both: number
}

/** Counts the traces of a scope by the moment in which they began and by their services, in one pass over them. */
export async function overviewTraces(
  clickhouse: ClickHouse,
  query: TraceScope,
  nowMs: number,
  oldest: Nanoseconds,
): Promise<TraceOverview> {
  const bindings = new Bindings()
  const scope = listScope(query, oldest)
  const endMs = query.until === undefined ? BigInt(nowMs) : query.until / 1_000_000n
  const rows = await clickhouse.select<CountRow>(
    `SELECT counted.1 AS kind, counted.2 AS value, toUInt32(count()) AS traces, toUInt32(countIf(hasFailed)) AS failed,
      toUInt32(countIf(byOtlp)) AS otlp, toUInt32(countIf(bySentry)) AS sentry,
      toUInt32(countIf(byOtlp AND bySentry)) AS both
    FROM (
      SELECT hasFailed, byOtlp, bySentry, arrayJoin(arrayConcat(
        [('moment', toString(${momentSql(bindings.bind(endMs, "Int64"))}))],
        arrayMap(service -> ('service', toString(service)), services)
      )) AS counted
      FROM (
        SELECT toUnixTimestamp64Milli(min(Timestamp)) AS began, max(IsError) AS hasFailed,
          max(Source = 'otlp') AS byOtlp, max(Source = 'sentry') AS bySentry, groupUniqArray(ServiceName) AS services
        FROM pagespan_spans WHERE ${candidatesSql(scope, bindings)} GROUP BY TraceId HAVING ${passingSql(scope, bindings)}
      )
    ) GROUP BY kind, value ORDER BY kind, traces DESC, value LIMIT ${ROWS} BY kind ${LIMITS}`,
    bindings.values,
  )
  const moments = rows.filter(({ kind }) => kind === "moment")
  const services = rows.filter(({ kind }) => kind === "service")
  const sum = (of: (row: CountRow) => number) => moments.reduce((total, row) => total + of(row), 0)
  return {
    traces: sum(({ traces }) => traces),
    failed: sum(({ failed }) => failed),
    otlp: sum(({ otlp }) => otlp),
    sentry: sum(({ sentry }) => sentry),
    both: sum(({ both }) => both),
    moments: moments
      .map(({ value, traces, failed }) => ({ atMs: Number(value), traces, failed }))
      .sort((a, b) => a.atMs - b.atMs),
    services: services.slice(0, FACET_VALUES).map(({ value, traces }) => ({ value, traces })),
  }
}

/** The begin of the moment in which a trace began, in milliseconds. What began after the end counts as of the end. */
function momentSql(end: string): string {
  const at = `least(began, ${end})`
  const length = MOMENTS.reduce(
    (shorter, { ageMs, lengthMs }) => `if(${end} - ${at} >= ${ageMs}, ${lengthMs}, ${shorter})`,
    "1",
  )
  return `${at} - ${at} % ${length}`
}

interface FacetRow extends FacetValue {
  readonly facet: keyof SpanFacets
}

/** What spans of the traces of a scope have, the most frequent first. Spans without a value are left out. */
export async function readSpanFacets(
  clickhouse: ClickHouse,
  query: TraceScope,
  oldest: Nanoseconds,
): Promise<SpanFacets> {
  const bindings = new Bindings()
  const rows = await clickhouse.select<FacetRow>(
    `SELECT had.1 AS facet, had.2 AS value, toUInt32(uniqExact(TraceId)) AS traces
    FROM (
      SELECT TraceId, arrayJoin([('route', SpanAttributes['http.route']), ('kind', toString(SpanKind))]) AS had
      FROM otel_traces WHERE TraceId IN (${passingTracesSql(listScope(query, oldest), bindings)})
    ) WHERE value != '' GROUP BY facet, value ORDER BY traces DESC, value LIMIT ${FACET_VALUES} BY facet ${LIMITS}`,
    bindings.values,
  )
  const of = (name: keyof SpanFacets) =>
    rows.filter(({ facet }) => facet === name).map(({ value, traces }) => ({ value, traces }))
  return { route: of("route"), kind: of("kind").map((row) => ({ ...row, value: kindOfWord(row.value) })) }
}

/** Ids of the traces of the scope. */
export function passingTracesSql(scope: ListScope, bindings: Bindings): string {
  return `SELECT TraceId FROM pagespan_spans WHERE ${candidatesSql(scope, bindings)}
    GROUP BY TraceId HAVING ${passingSql(scope, bindings)}`
}

function passingSql(scope: ListScope, bindings: Bindings): string {
  const started = startedSql(scope, bindings)
  return scope.filter === undefined ? started : `${started} AND ${traceSql(scope.filter, scope.since, bindings)}`
}
