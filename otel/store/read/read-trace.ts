import type { TraceId } from "../../model/ids.ts"
import { SPAN_SOURCES, type SpanRecord, type SpanSource } from "../../model/span.ts"
import type { Nanoseconds } from "../../model/time.ts"
import type { ClickHouse } from "../clickhouse.ts"
import { NO_DETAIL, type SpanDetail, toSpanRecord, TRACE_ROW_COLUMNS, type TraceRow } from "../rows/read-span-row.ts"
import { readLimits } from "./limits.ts"

/**
 * All spans of a trace, each once. Two small look-ups say when the trace was and what our own table knows of its
 * spans; then the collector's table is read within those seconds alone.
 */

/** Spans of a trace at most; the earliest ones. A trace of 80,000 is the largest that a screen must open. */
const SPAN_LIMIT = 100_000
/** A span can be stored once for each insert that repeated it. */
const LIMITS = readLimits({ seconds: 20, rows: SPAN_LIMIT * 4 })

interface Seconds {
  readonly first: string
  readonly last: string
}

interface DetailRow extends Omit<SpanDetail, "types" | "exacts" | "dropped"> {
  readonly spanId: string
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
  const [seconds, details] = await Promise.all([readSeconds(clickhouse, traceId), readDetails(clickhouse, traceId)])
  if (!seconds) return []
  const rows = await clickhouse.select<TraceRow>(
    `SELECT ${TRACE_ROW_COLUMNS} FROM otel_traces
    WHERE TraceId = {traceId:String}
      AND Timestamp >= greatest(toDateTime64({first:UInt32}, 9), fromUnixTimestamp64Nano({oldest:Int64}))
      AND Timestamp < toDateTime64({last:UInt32}, 9) + INTERVAL 1 SECOND
    ORDER BY Timestamp, SpanId LIMIT 1 BY SpanId, Timestamp, Duration, length(SpanAttributes) LIMIT ${SPAN_LIMIT} ${LIMITS}`,
    { traceId, first: seconds.first, last: seconds.last, oldest: String(oldest) },
  )
  return onePerSpan(traceId, rows, details)
}

async function readSeconds(clickhouse: ClickHouse, traceId: TraceId): Promise<Seconds | undefined> {
  const [row] = await clickhouse.select<Seconds & { found: number }>(
    `SELECT toUInt8(count() > 0) AS found, toString(toUnixTimestamp(min(Start))) AS first,
      toString(toUnixTimestamp(max(End))) AS last
    FROM otel_traces_trace_id_ts WHERE TraceId = {traceId:String} ${LIMITS}`,
    { traceId },
  )
  return row?.found ? row : undefined
}

async function readDetails(clickhouse: ClickHouse, traceId: TraceId): Promise<DetailRow[]> {
  return clickhouse.select(
    `SELECT SpanId AS spanId, Source AS source, toString(toUnixTimestamp64Nano(Timestamp)) AS start,
      toString(Duration) AS duration, AttributeCount AS attributeCount, Flags AS flags, DroppedAttributes AS droppedAttributes,
      DroppedEvents AS droppedEvents, DroppedLinks AS droppedLinks, SchemaUrl AS schemaUrl,
      mapKeys(ScopeAttributes) AS scopeKeys, mapValues(ScopeAttributes) AS scopeValues,
      AttributeTypes AS types, ExactAttributes AS exacts
    FROM pagespan_spans WHERE TraceId = {traceId:String} LIMIT 1 BY SpanId, Source ${LIMITS}`,
    { traceId },
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
