import type { Nanoseconds } from "../../model/time.ts"
import type { TraceScope } from "../../query/trace-reader.ts"
import type { Facet, FacetValue, TimeSteps, TraceOverview } from "../../query/trace-overview.ts"
import type { ClickHouse } from "../clickhouse.ts"
import { kindOfWord } from "../rows/span-words.ts"
import { Bindings } from "./filter/bindings.ts"
import { traceSql } from "./filter/trace-sql.ts"
import { readLimits } from "./limits.ts"
import { candidatesSql, type ListScope, listScope, startedSql } from "./list-scope.ts"

/** Values of a facet that are read: past some dozens nobody picks from a list. */
const FACET_VALUES = 50
const LIMITS = readLimits({ seconds: 10, rows: 10_000 })

interface BarRow {
  readonly bar: number
  readonly traces: number
  readonly failed: number
  readonly otlp: number
  readonly sentry: number
  readonly both: number
}

/** Counts the traces of a scope by the step of time in which they began. */
export async function overviewTraces(
  clickhouse: ClickHouse,
  query: TraceScope,
  steps: TimeSteps,
  oldest: Nanoseconds,
): Promise<TraceOverview> {
  const bindings = new Bindings()
  const scope = listScope(query, oldest)
  const since = `toInt64(toUnixTimestamp64Nano(began)) - ${bindings.bind(steps.from, "Int64")}`
  const length = bindings.bind(BigInt(steps.stepMs) * 1_000_000n, "Int64")
  const last = bindings.bind(steps.count - 1, "UInt32")
  const rows = await clickhouse.select<BarRow>(
    `SELECT toUInt32(least(greatest(intDiv(${since}, ${length}), 0), ${last})) AS bar, toUInt32(count()) AS traces,
      toUInt32(countIf(hasFailed)) AS failed, toUInt32(countIf(byOtlp)) AS otlp, toUInt32(countIf(bySentry)) AS sentry,
      toUInt32(countIf(byOtlp AND bySentry)) AS both
    FROM (
      SELECT min(Timestamp) AS began, max(IsError) AS hasFailed, max(Source = 'otlp') AS byOtlp,
        max(Source = 'sentry') AS bySentry
      FROM pagespan_spans WHERE ${candidatesSql(scope, bindings)} GROUP BY TraceId HAVING ${passingSql(scope, bindings)}
    ) GROUP BY bar ORDER BY bar ${LIMITS}`,
    bindings.values,
  )
  const sum = (of: (row: BarRow) => number) => rows.reduce((total, row) => total + of(row), 0)
  return {
    traces: sum(({ traces }) => traces),
    failed: sum(({ failed }) => failed),
    otlp: sum(({ otlp }) => otlp),
    sentry: sum(({ sentry }) => sentry),
    both: sum(({ both }) => both),
    bars: rows.map(({ bar, traces, failed }) => ({ index: bar, traces, failed })),
  }
}

/** What the traces of a scope have, the most frequent first. Spans without a value are left out. */
export async function readFacet(
  clickhouse: ClickHouse,
  facet: Facet,
  query: TraceScope,
  oldest: Nanoseconds,
): Promise<readonly FacetValue[]> {
  const bindings = new Bindings()
  const { value, table } = FACET_COLUMNS[facet]
  const rows = await clickhouse.select<FacetValue>(
    `SELECT ${value} AS value, toUInt32(uniqExact(TraceId)) AS traces FROM ${table}
    WHERE value != '' AND TraceId IN (${passingTracesSql(listScope(query, oldest), bindings)})
    GROUP BY value ORDER BY traces DESC, value LIMIT ${FACET_VALUES} ${LIMITS}`,
    bindings.values,
  )
  return facet === "kind" ? rows.map((row) => ({ ...row, value: kindOfWord(row.value) })) : rows
}

const FACET_COLUMNS: Readonly<Record<Facet, { readonly value: string; readonly table: string }>> = {
  service: { value: "toString(ServiceName)", table: "pagespan_spans" },
  route: { value: "SpanAttributes['http.route']", table: "otel_traces" },
  kind: { value: "toString(SpanKind)", table: "otel_traces" },
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
