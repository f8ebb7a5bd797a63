import type { SpanId, TraceId } from "../../../protocol/records/ids.ts"
import { SPAN_SOURCES, type SpanRecord, type SpanSource } from "../../../protocol/records/span.ts"
import type { Nanoseconds } from "../../../protocol/records/time.ts"
import type { ClickHouse, Parameters } from "../clickhouse.ts"
import { NO_DETAIL, type SpanDetail, toSpanRecord, TRACE_ROW_COLUMNS, type TraceRow } from "../rows/read-span-row.ts"
import { readLimits } from "./limits.ts"
import { IN_TRACE, readTraceTime } from "./trace-time.ts"

/**
 * Spans whole, each once. A small look-up says when the trace was; then the collector's table is read within those
 * seconds alone, and what our own table knows of its spans beside it.
 */

/** Spans of a trace at most; the earliest ones. A trace of 80,000 is the largest that a screen must open. */
const SPAN_LIMIT = 100_000
/** A span can be stored once for each insert that repeated it. */
const LIMITS = readLimits({ seconds: 20, rows: SPAN_LIMIT * 4 })

interface DetailRow extends Omit<SpanDetail, "types" | "exacts" | "dropped"> {
  readonly spanId: string
  readonly service: string
  readonly name: string
  readonly start: string
  readonly duration: string
  readonly attributeCount: number
  readonly droppedAttributes: number
  readonly droppedEvents: number
  readonly droppedLinks: number
  readonly types: string
  readonly exacts: string
}

export async function readTrace(
  clickhouse: ClickHouse,
  traceId: TraceId,
  oldest: Nanoseconds,
): Promise<readonly SpanRecord[]> {
  const [rows, details] = await Promise.all([
    readRows(clickhouse, traceId, oldest),
    readDetails(clickhouse, { traceId }, ""),
  ])
  return onePerSpan(traceId, rows, details)
}

async function readRows(clickhouse: ClickHouse, traceId: TraceId, oldest: Nanoseconds): Promise<TraceRow[]> {
  const time = await readTraceTime(clickhouse, traceId, oldest)
  if (time === undefined) return []
  return clickhouse.select(
    `SELECT ${TRACE_ROW_COLUMNS} FROM otel_traces WHERE ${IN_TRACE}
    ORDER BY Timestamp, SpanId LIMIT 1 BY SpanId, Timestamp, Duration, length(SpanAttributes) LIMIT ${SPAN_LIMIT} ${LIMITS}`,
    time,
  )
}

/** Ids in one statement. They travel in its address, of which a server takes a megabyte. */
const IDS_A_STATEMENT = 2_000

/** Some spans of a trace, each once; by start time within each `IDS_A_STATEMENT` of the ids. */
export async function readSpans(
  clickhouse: ClickHouse,
  traceId: TraceId,
  spanIds: readonly SpanId[],
  oldest: Nanoseconds,
): Promise<readonly SpanRecord[]> {
  const spans: SpanRecord[] = []
  for (let from = 0; from < spanIds.length; from += IDS_A_STATEMENT) {
    const some = await readSome(clickhouse, traceId, spanIds.slice(from, from + IDS_A_STATEMENT), oldest)
    spans.push(...onePerSpan(traceId, some.rows, some.details))
  }
  return spans
}

/** One span as each protocol told it: OTLP first. */
export async function readSpan(
  clickhouse: ClickHouse,
  traceId: TraceId,
  spanId: SpanId,
  oldest: Nanoseconds,
): Promise<readonly SpanRecord[]> {
  const { rows, details } = await readSome(clickhouse, traceId, [spanId], oldest)
  return onePerSource(traceId, rows, details)
}

/** Spans that are looked up where our own table says that they are: their names travel in the statement's address. */
const PLACED_SPANS = 50

async function readSome(clickhouse: ClickHouse, traceId: TraceId, spanIds: readonly SpanId[], oldest: Nanoseconds) {
  const details = await readDetails(clickhouse, { traceId, spanIds }, `AND ${AMONG_SPANS}`)
  if (spanIds.length <= PLACED_SPANS) {
    const rows = await selectRows(clickhouse, IN_PLACE, { ...placeOf(details, traceId, oldest), spanIds })
    const found = new Set(rows.map(({ spanId }) => spanId))
    if (spanIds.every((spanId) => found.has(spanId))) return { rows, details }
  }
  const time = await readTraceTime(clickhouse, traceId, oldest)
  if (time === undefined) return { rows: [], details: [] }
  return { rows: await selectRows(clickhouse, IN_TRACE, { ...time, spanIds }), details }
}

function selectRows(clickhouse: ClickHouse, where: string, parameters: Parameters): Promise<TraceRow[]> {
  return clickhouse.select(
    `SELECT ${TRACE_ROW_COLUMNS} FROM otel_traces WHERE ${where} AND ${AMONG_SPANS}
    ORDER BY Timestamp, SpanId LIMIT 1 BY SpanId, Timestamp, Duration, length(SpanAttributes) ${LIMITS}`,
    parameters,
  )
}

const AMONG_SPANS = "SpanId IN {spanIds:Array(String)}"

/**
 * Our own table is in order of span ids and tells service, name and time, which the collector's is in order of: of a
 * large trace one piece is read then, not each that it has spans in.
 */
const IN_PLACE = `TraceId = {traceId:String}
  AND ServiceName IN {services:Array(String)} AND SpanName IN {names:Array(String)}
  AND Timestamp >= greatest(fromUnixTimestamp64Nano({first:Int64}), fromUnixTimestamp64Nano({oldest:Int64}))
  AND Timestamp <= fromUnixTimestamp64Nano({last:Int64})`

function placeOf(details: readonly DetailRow[], traceId: TraceId, oldest: Nanoseconds): Parameters {
  const starts = details.map(({ start }) => BigInt(start)).toSorted((a, b) => (a < b ? -1 : 1))
  return {
    traceId,
    services: [...new Set(details.map(({ service }) => service))],
    names: [...new Set(details.map(({ name }) => name))],
    first: String(starts[0] ?? 0n),
    last: String(starts.at(-1) ?? 0n),
    oldest: String(oldest),
  }
}

async function readDetails(clickhouse: ClickHouse, parameters: Parameters, where: string): Promise<DetailRow[]> {
  return clickhouse.select(
    `SELECT SpanId AS spanId, Source AS source, ServiceName AS service, SpanName AS name, toString(toUnixTimestamp64Nano(Timestamp)) AS start,
      toString(Duration) AS duration, AttributeCount AS attributeCount, Flags AS flags, DroppedAttributes AS droppedAttributes,
      DroppedEvents AS droppedEvents, DroppedLinks AS droppedLinks, SchemaUrl AS schemaUrl,
      mapKeys(ScopeAttributes) AS scopeKeys, mapValues(ScopeAttributes) AS scopeValues,
      AttributeTypes AS types, ExactAttributes AS exacts
    FROM pagespan_spans WHERE TraceId = {traceId:String} ${where} LIMIT 1 BY SpanId, Source ${LIMITS}`,
    parameters,
  )
}

/**
 * The rows of one span are the same span: of those, the one that OTLP brought says most. A row and its detail belong
 * together when they agree on times and number of attributes; where they agree for two sources, so do the spans.
 */
function onePerSpan(traceId: TraceId, rows: readonly TraceRow[], details: readonly DetailRow[]): SpanRecord[] {
  const bestLast = details.toSorted((a, b) => rank(b.source) - rank(a.source))
  const bySpan = new Map(bestLast.map((detail) => [detail.spanId, detail]))
  const byShape = new Map(bestLast.map((detail) => [shape(detail, detail.attributeCount), detail]))
  const parse = parseOnce()
  const spans = new Map<string, SpanRecord>()
  for (const row of rows) {
    const detail = byShape.get(shape(row, row.keys.length)) ?? bySpan.get(row.spanId)
    const earlier = spans.get(row.spanId)
    if (earlier && rank(earlier.source) <= rank(detail?.source)) continue
    spans.set(row.spanId, toSpanRecord(traceId, row, detail ? toDetail(detail, parse) : NO_DETAIL))
  }
  return [...spans.values()]
}

/** Of one span's rows the one that belongs to each source. Where both told the same there is one row, and two records of it. */
function onePerSource(traceId: TraceId, rows: readonly TraceRow[], details: readonly DetailRow[]): SpanRecord[] {
  const [first] = rows
  if (first === undefined) return []
  if (details.length === 0) return [toSpanRecord(traceId, first, NO_DETAIL)]
  const parse = parseOnce()
  return details
    .toSorted((a, b) => rank(a.source) - rank(b.source))
    .map((detail) => {
      const own = rows.find((row) => shape(row, row.keys.length) === shape(detail, detail.attributeCount))
      return toSpanRecord(traceId, own ?? first, toDetail(detail, parse))
    })
}

function shape({ spanId, start, duration }: { spanId: string; start: string; duration: string }, attributes: number) {
  return `${spanId} ${start} ${duration} ${attributes}`
}

function rank(source: SpanSource = NO_DETAIL.source): number {
  return SPAN_SOURCES.indexOf(source)
}

function toDetail(row: DetailRow, parse: (text: string) => object): SpanDetail {
  return {
    ...row,
    dropped: { attributes: row.droppedAttributes, events: row.droppedEvents, links: row.droppedLinks },
    types: parse(row.types),
    exacts: parse(row.exacts),
  }
}

/** Spans of one kind share their types: each distinct text is parsed once. */
function parseOnce(): (text: string) => object {
  const parsed = new Map<string, object>()
  return (text) => {
    const known = parsed.get(text)
    if (known) return known
    const value: object = text === "" ? {} : JSON.parse(text)
    parsed.set(text, value)
    return value
  }
}
