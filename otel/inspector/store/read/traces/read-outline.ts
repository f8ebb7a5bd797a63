import type { TraceId } from "../../../../protocol/records/ids.ts"
import type { SpanKind } from "../../../../protocol/records/span.ts"
import type { OutlineEvent, TraceOutline } from "../../../queries/trace/trace-outline.ts"
import type { Parameters } from "../../clickhouse.ts"
import { kindOfName } from "../../rows/span-enums.ts"
import { type ReadContext, readLimits } from "../context.ts"
import { IN_TRACE, readTraceTime } from "./read-trace.ts"

/**
 * The outline of a trace, without the attribute maps, which are most of its bytes. ClickHouse returns each column as one
 * text: parsing 200,000 rows of JSON would take the app's process a second.
 */

/** Spans of an outline at most: the earliest. A screen of 200,000 must open. */
export const OUTLINE_LIMIT = 250_000
/** Events of an outline at most; bars have no room for more. */
const EVENT_LIMIT = 20_000
const LIMITS = readLimits({ seconds: 30, rows: OUTLINE_LIMIT })

interface OutlineRow {
  readonly ids: string
  readonly parents: string
  readonly names: readonly string[]
  readonly services: readonly string[]
  readonly kinds: string
  readonly starts: string
  readonly durations: string
  readonly errors: string
}

interface EventRow {
  readonly id: string
  readonly service: string
  readonly times: readonly string[]
  readonly names: readonly string[]
}

export async function readOutline(context: ReadContext, traceId: TraceId): Promise<TraceOutline | undefined> {
  const time = await readTraceTime(context, traceId)
  if (time === undefined) return undefined
  const [[row], events, duplicates] = await Promise.all([
    context.clickhouse.select<OutlineRow>(outlineSql(context), time),
    context.clickhouse.select<EventRow>(eventsSql(context), time),
    readDuplicates(context, time),
  ])
  if (row === undefined || row.names.length === 0) return undefined
  const columns = split(row)
  const indexes = distinct(columns, row, duplicates)
  const stored = row.names.length < OUTLINE_LIMIT ? indexes.length : await countSpans(context, time)
  return outlineOf(columns, row, indexes, events, { second: time.first, stored })
}

const SINCE = "toString(toUnixTimestamp64Nano(Timestamp) - toInt64({first:UInt32}) * 1000000000)"

function outlineSql(context: ReadContext): string {
  return `SELECT arrayStringConcat(groupArray(SpanId), ',') AS ids,
  arrayStringConcat(groupArray(ParentSpanId), ',') AS parents, groupArray(SpanName) AS names,
  groupArray(Service) AS services, arrayStringConcat(groupArray(SpanKind), ',') AS kinds,
  arrayStringConcat(groupArray(Since), ',') AS starts, arrayStringConcat(groupArray(toString(Duration)), ',') AS durations,
  arrayStringConcat(groupArray(if(StatusCode IN ('Error', 'STATUS_CODE_ERROR'), '1', '0'))) AS errors
FROM (
  SELECT SpanId, ParentSpanId, SpanName, if(ServiceName = '', 'unknown_service', ServiceName) AS Service, SpanKind,
    ${SINCE} AS Since, Duration, StatusCode
  FROM ${context.from("otel_traces")} WHERE ${IN_TRACE}
  ORDER BY Timestamp, Duration DESC, SpanId LIMIT 1 BY SpanId, Service, Timestamp, Duration LIMIT ${OUTLINE_LIMIT}
) ${LIMITS}`
}

function eventsSql(context: ReadContext): string {
  return `SELECT SpanId AS id, if(ServiceName = '', 'unknown_service', ServiceName) AS service,
  arrayMap(t -> toString(toUnixTimestamp64Nano(t) - toInt64({first:UInt32}) * 1000000000), Events.Timestamp) AS times,
  Events.Name AS names
FROM ${context.from("otel_traces")} WHERE ${IN_TRACE} AND notEmpty(Events.Name)
ORDER BY Timestamp, SpanId LIMIT 1 BY SpanId, ServiceName LIMIT ${EVENT_LIMIT} ${LIMITS}`
}

/** Shapes of the rows that Sentry's protocol sent for spans that OTLP sent too. The rows of OTLP hold more. */
async function readDuplicates(context: ReadContext, time: Parameters): Promise<ReadonlySet<string>> {
  const shape = `concat(SpanId, if(ServiceName = '', 'unknown_service', ServiceName), ' ', ${SINCE}, ' ', toString(Duration))`
  const rows = await context.clickhouse.select<{ sentry: readonly string[]; otlp: readonly string[] }>(
    `SELECT groupArrayIf(${shape}, Source = 'sentry') AS sentry, groupArrayIf(${shape}, Source = 'otlp') AS otlp
    FROM ${context.from("pagespan_spans")} WHERE TraceId = {traceId:String}
    GROUP BY SpanId HAVING notEmpty(sentry) AND notEmpty(otlp) LIMIT ${OUTLINE_LIMIT} ${LIMITS}`,
    time,
  )
  return new Set(rows.flatMap(({ sentry, otlp }) => sentry.filter((row) => !otlp.includes(row))))
}

interface Columns {
  readonly ids: readonly string[]
  readonly parents: readonly string[]
  readonly kinds: readonly string[]
  readonly starts: readonly string[]
  readonly durations: readonly string[]
}

function split(row: OutlineRow): Columns {
  return {
    ids: row.ids.split(","),
    parents: row.parents.split(","),
    kinds: row.kinds.split(","),
    starts: row.starts.split(","),
    durations: row.durations.split(","),
  }
}

/**
 * Indexes of one row per span. The same span can have arrived twice, by two protocols or in a repeated request. The same
 * id from two services is two spans: Zipkin shares one id between client and server.
 */
function distinct(columns: Columns, { services }: OutlineRow, duplicates: ReadonlySet<string>): number[] {
  const seen = new Set<string>()
  const distinctRows: number[] = []
  columns.ids.forEach((id, index) => {
    const identity = id + (services[index] ?? "")
    if (seen.has(identity)) return
    if (duplicates.size > 0 && duplicates.has(`${identity} ${columns.starts[index]} ${columns.durations[index]}`))
      return
    seen.add(identity)
    distinctRows.push(index)
  })
  return distinctRows
}

function outlineOf(
  columns: Columns,
  row: OutlineRow,
  indexes: readonly number[],
  events: readonly EventRow[],
  { second, stored }: { second: string; stored: number },
): TraceOutline {
  const earliest = BigInt(columns.starts[indexes[0] ?? 0] ?? 0)
  const kinds = new Map<string, SpanKind>()
  const kindOf = (word: string) => kinds.get(word) ?? kinds.set(word, kindOfName(word)).get(word) ?? "unspecified"
  const ids = indexes.map((index) => columns.ids[index] ?? "")
  const services = indexes.map((index) => row.services[index] ?? "")
  const first = Number(earliest)
  return {
    startTime: BigInt(second) * 1_000_000_000n + earliest,
    ids,
    parentIds: indexes.map((index) => columns.parents[index] ?? ""),
    names: indexes.map((index) => row.names[index] ?? ""),
    services,
    kinds: indexes.map((index) => kindOf(columns.kinds[index] ?? "")),
    offsets: Float64Array.from(indexes, (index) => Number(columns.starts[index]) - first),
    durations: Float64Array.from(indexes, (index) => Number(columns.durations[index])),
    errors: Uint8Array.from(indexes, (index) => (row.errors[index] === "1" ? 1 : 0)),
    events: outlineEvents(events, ids, services, first),
    stored,
  }
}

function outlineEvents(
  rows: readonly EventRow[],
  ids: readonly string[],
  services: readonly string[],
  first: number,
): OutlineEvent[] {
  if (rows.length === 0) return []
  const indexOf = new Map(ids.map((id, index) => [id + (services[index] ?? ""), index]))
  const events: OutlineEvent[] = []
  for (const { id, service, times, names } of rows) {
    const span = indexOf.get(id + service)
    if (span === undefined) continue
    times.forEach((time, index) =>
      events.push({ span, offset: Number(time) - first, isException: names[index] === "exception" }),
    )
    if (events.length >= EVENT_LIMIT) break
  }
  return events.slice(0, EVENT_LIMIT)
}

async function countSpans(context: ReadContext, { traceId = "" }: Parameters): Promise<number> {
  const [row] = await context.clickhouse.select<{ count: number }>(
    `SELECT toUInt32(uniqExact(SpanId)) AS count FROM ${context.from("pagespan_spans")} WHERE TraceId = {traceId:String} ${LIMITS}`,
    { traceId },
  )
  return row?.count ?? 0
}
