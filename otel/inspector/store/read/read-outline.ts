import type { TraceId } from "../../../protocol/records/ids.ts"
import type { SpanKind } from "../../../protocol/records/span.ts"
import type { Nanoseconds } from "../../../protocol/records/time.ts"
import type { OutlineEvent, TraceOutline } from "../../queries/trace/trace-outline.ts"
import type { ClickHouse, Parameters } from "../clickhouse.ts"
import { kindOfWord } from "../rows/span-words.ts"
import { readLimits } from "./limits.ts"
import { IN_TRACE, readTraceTime } from "./trace-time.ts"

/**
 * The outline of a trace, without the maps of attributes, which are most of its bytes. The engine writes each column as one
 * text: 200,000 rows of JSON would cost the app's own process a second.
 */

/** Spans that an outline holds: the earliest. A screen of 200,000 must open. */
export const OUTLINE_LIMIT = 250_000
/** Events that an outline holds; bars have no room for more. */
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

export async function readOutline(
  clickhouse: ClickHouse,
  traceId: TraceId,
  oldest: Nanoseconds,
): Promise<TraceOutline | undefined> {
  const time = await readTraceTime(clickhouse, traceId, oldest)
  if (time === undefined) return undefined
  const [[row], events, retold] = await Promise.all([
    clickhouse.select<OutlineRow>(OUTLINE_SQL, time),
    clickhouse.select<EventRow>(EVENTS_SQL, time),
    readRetold(clickhouse, time),
  ])
  if (row === undefined || row.names.length === 0) return undefined
  const columns = split(row)
  const kept = distinct(columns, row, retold)
  const stored = row.names.length < OUTLINE_LIMIT ? kept.length : await countSpans(clickhouse, time)
  return outlineOf(columns, row, kept, events, { second: time.first, stored })
}

const SINCE = "toString(toUnixTimestamp64Nano(Timestamp) - toInt64({first:UInt32}) * 1000000000)"

const OUTLINE_SQL = `SELECT arrayStringConcat(groupArray(SpanId), ',') AS ids,
  arrayStringConcat(groupArray(ParentSpanId), ',') AS parents, groupArray(SpanName) AS names,
  groupArray(Service) AS services, arrayStringConcat(groupArray(SpanKind), ',') AS kinds,
  arrayStringConcat(groupArray(Since), ',') AS starts, arrayStringConcat(groupArray(toString(Duration)), ',') AS durations,
  arrayStringConcat(groupArray(if(StatusCode IN ('Error', 'STATUS_CODE_ERROR'), '1', '0'))) AS errors
FROM (
  SELECT SpanId, ParentSpanId, SpanName, if(ServiceName = '', 'unknown_service', ServiceName) AS Service, SpanKind,
    ${SINCE} AS Since, Duration, StatusCode
  FROM otel_traces WHERE ${IN_TRACE}
  ORDER BY Timestamp, Duration DESC, SpanId LIMIT 1 BY SpanId, Service, Timestamp, Duration LIMIT ${OUTLINE_LIMIT}
) ${LIMITS}`

const EVENTS_SQL = `SELECT SpanId AS id, if(ServiceName = '', 'unknown_service', ServiceName) AS service,
  arrayMap(t -> toString(toUnixTimestamp64Nano(t) - toInt64({first:UInt32}) * 1000000000), Events.Timestamp) AS times,
  Events.Name AS names
FROM otel_traces WHERE ${IN_TRACE} AND notEmpty(Events.Name)
ORDER BY Timestamp, SpanId LIMIT 1 BY SpanId, ServiceName LIMIT ${EVENT_LIMIT} ${LIMITS}`

/** Shapes of the rows by which Sentry's protocol told a span that OTLP brought as well, and tells better. */
async function readRetold(clickhouse: ClickHouse, time: Parameters): Promise<ReadonlySet<string>> {
  const shape = `concat(SpanId, if(ServiceName = '', 'unknown_service', ServiceName), ' ', ${SINCE}, ' ', toString(Duration))`
  const rows = await clickhouse.select<{ sentry: readonly string[]; otlp: readonly string[] }>(
    `SELECT groupArrayIf(${shape}, Source = 'sentry') AS sentry, groupArrayIf(${shape}, Source = 'otlp') AS otlp
    FROM pagespan_spans WHERE TraceId = {traceId:String}
    GROUP BY SpanId HAVING notEmpty(sentry) AND notEmpty(otlp) LIMIT ${OUTLINE_LIMIT} ${LIMITS}`,
    time,
  )
  return new Set(rows.flatMap(({ sentry, otlp }) => sentry.filter((told) => !otlp.includes(told))))
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
 * Indexes of the rows that stand for a span, each once. The same span may have come twice, by two protocols or in a repeated
 * request. The same id from two services is two spans: Zipkin's way of sharing one between client and server.
 */
function distinct(columns: Columns, { services }: OutlineRow, retold: ReadonlySet<string>): number[] {
  const seen = new Set<string>()
  const kept: number[] = []
  columns.ids.forEach((id, index) => {
    const identity = id + (services[index] ?? "")
    if (seen.has(identity)) return
    if (retold.size > 0 && retold.has(`${identity} ${columns.starts[index]} ${columns.durations[index]}`)) return
    seen.add(identity)
    kept.push(index)
  })
  return kept
}

function outlineOf(
  columns: Columns,
  row: OutlineRow,
  kept: readonly number[],
  events: readonly EventRow[],
  { second, stored }: { second: string; stored: number },
): TraceOutline {
  const earliest = BigInt(columns.starts[kept[0] ?? 0] ?? 0)
  const kinds = new Map<string, SpanKind>()
  const kindOf = (word: string) => kinds.get(word) ?? kinds.set(word, kindOfWord(word)).get(word) ?? "unspecified"
  const ids = kept.map((index) => columns.ids[index] ?? "")
  const services = kept.map((index) => row.services[index] ?? "")
  const first = Number(earliest)
  return {
    startTime: BigInt(second) * 1_000_000_000n + earliest,
    ids,
    parentIds: kept.map((index) => columns.parents[index] ?? ""),
    names: kept.map((index) => row.names[index] ?? ""),
    services,
    kinds: kept.map((index) => kindOf(columns.kinds[index] ?? "")),
    offsets: Float64Array.from(kept, (index) => Number(columns.starts[index]) - first),
    durations: Float64Array.from(kept, (index) => Number(columns.durations[index])),
    errors: Uint8Array.from(kept, (index) => (row.errors[index] === "1" ? 1 : 0)),
    events: placeEvents(events, ids, services, first),
    stored,
  }
}

function placeEvents(
  rows: readonly EventRow[],
  ids: readonly string[],
  services: readonly string[],
  first: number,
): OutlineEvent[] {
  if (rows.length === 0) return []
  const place = new Map(ids.map((id, index) => [id + (services[index] ?? ""), index]))
  const events: OutlineEvent[] = []
  for (const { id, service, times, names } of rows) {
    const span = place.get(id + service)
    if (span === undefined) continue
    times.forEach((time, index) =>
      events.push({ span, offset: Number(time) - first, isException: names[index] === "exception" }),
    )
    if (events.length >= EVENT_LIMIT) break
  }
  return events.slice(0, EVENT_LIMIT)
}

async function countSpans(clickhouse: ClickHouse, { traceId = "" }: Parameters): Promise<number> {
  const [row] = await clickhouse.select<{ count: number }>(
    `SELECT toUInt32(uniqExact(SpanId)) AS count FROM pagespan_spans WHERE TraceId = {traceId:String} ${LIMITS}`,
    { traceId },
  )
  return row?.count ?? 0
}
