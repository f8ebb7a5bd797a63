import type { SpanId, TraceId } from "../../../../protocol/records/ids.ts"
import { SPAN_SOURCES, type SpanRecord, type SpanSource } from "../../../../protocol/records/span.ts"
import type { Nanoseconds } from "../../../../protocol/records/time.ts"
import type { Parameters } from "../../clickhouse.ts"
import { NO_DETAIL, type SpanDetail, toSpanRecord, TRACE_ROW_COLUMNS, type TraceRow } from "../../rows/span-row.ts"
import { type ReadContext, readLimits } from "../context.ts"

/**
 * Whole spans, each once. A small lookup table gives the time of the trace; a query reads the collector's table within
 * those seconds only, and another reads what `pagespan_spans` adds.
 */

/** Spans of a trace at most: the earliest. A trace of 80,000 is the largest that a screen must open. */
const SPAN_LIMIT = 100_000
/** A span can have one row for each insert that repeated it. */
const LIMITS = readLimits({ seconds: 20, rows: SPAN_LIMIT * 4 })
const TIME_LIMITS = readLimits({ seconds: 20, rows: 1 })

interface DetailRow extends Omit<SpanDetail, "types" | "exacts" | "dropped"> {
  readonly traceId: string
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

export async function readTrace(context: ReadContext, traceId: TraceId): Promise<readonly SpanRecord[]> {
  const [rows, details] = await Promise.all([readRows(context, traceId), readDetails(context, { traceId })])
  return onePerSpan(traceId, rows, details)
}

/** All spans of some traces, each once, trace by trace. A statement reads them all: the caller limits their spans. */
export async function readTraces(context: ReadContext, traceIds: readonly TraceId[]): Promise<readonly SpanRecord[]> {
  const among = "TraceId IN {traceIds:Array(String)}"
  const parameters = { traceIds, oldest: String(context.oldest) }
  const [rows, details] = await Promise.all([
    context.clickhouse.select<TraceRow & OfTrace>(
      `SELECT TraceId AS traceId, ${TRACE_ROW_COLUMNS} FROM ${context.from("otel_traces")}
      WHERE ${among} AND Timestamp >= fromUnixTimestamp64Nano({oldest:Int64})
      ORDER BY Timestamp, SpanId LIMIT 1 BY TraceId, SpanId, ServiceName, Timestamp, Duration, length(SpanAttributes) ${LIMITS}`,
      parameters,
    ),
    readDetails(context, parameters, among),
  ])
  const [rowsOf, detailsOf] = [byTrace(rows), byTrace(details)]
  return traceIds.flatMap((traceId) => onePerSpan(traceId, rowsOf.get(traceId) ?? [], detailsOf.get(traceId) ?? []))
}

interface OfTrace {
  readonly traceId: string
}

function byTrace<Row extends OfTrace>(rows: readonly Row[]): Map<string, Row[]> {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const known = groups.get(row.traceId)
    if (known === undefined) groups.set(row.traceId, [row])
    else known.push(row)
  }
  return groups
}

async function readRows(context: ReadContext, traceId: TraceId): Promise<TraceRow[]> {
  const time = await readTraceTime(context, traceId)
  if (time === undefined) return []
  return context.clickhouse.select(
    `SELECT ${TRACE_ROW_COLUMNS} FROM ${context.from("otel_traces")} WHERE ${IN_TRACE}
    ORDER BY Timestamp, SpanId LIMIT 1 BY SpanId, ServiceName, Timestamp, Duration, length(SpanAttributes) LIMIT ${SPAN_LIMIT} ${LIMITS}`,
    time,
  )
}

/** Ids per statement: they are part of its URL, which may be a megabyte long on a server. */
const IDS_PER_STATEMENT = 2_000

/** Some spans of a trace, each once, ordered by start time within each `IDS_PER_STATEMENT` of the ids. */
export async function readSpans(
  context: ReadContext,
  traceId: TraceId,
  spanIds: readonly SpanId[],
): Promise<readonly SpanRecord[]> {
  const spans: SpanRecord[] = []
  for (let from = 0; from < spanIds.length; from += IDS_PER_STATEMENT) {
    const some = await readSome(context, traceId, spanIds.slice(from, from + IDS_PER_STATEMENT))
    spans.push(...onePerSpan(traceId, some.rows, some.details))
  }
  return spans
}

/** One span as each protocol sent it: OTLP first. */
export async function readSpan(context: ReadContext, traceId: TraceId, spanId: SpanId): Promise<readonly SpanRecord[]> {
  const { rows, details } = await readSome(context, traceId, [spanId])
  return onePerSource(traceId, rows, details)
}

/** Spans at most that are looked up by the key of the collector's table: their names are part of the URL. */
const KEYED_SPANS = 50

async function readSome(context: ReadContext, traceId: TraceId, spanIds: readonly SpanId[]) {
  const details = await readDetails(context, { traceId, spanIds }, `${OF_TRACE} AND ${AMONG_SPANS}`)
  if (spanIds.length <= KEYED_SPANS) {
    const rows = await selectRows(context, BY_KEY, { ...keyOf(details, traceId, context.oldest), spanIds })
    const found = new Set(rows.map(({ spanId }) => spanId))
    if (spanIds.every((spanId) => found.has(spanId))) return { rows, details }
  }
  const time = await readTraceTime(context, traceId)
  if (time === undefined) return { rows: [], details: [] }
  return { rows: await selectRows(context, IN_TRACE, { ...time, spanIds }), details }
}

function selectRows(context: ReadContext, where: string, parameters: Parameters): Promise<TraceRow[]> {
  return context.clickhouse.select(
    `SELECT ${TRACE_ROW_COLUMNS} FROM ${context.from("otel_traces")} WHERE ${where} AND ${AMONG_SPANS}
    ORDER BY Timestamp, SpanId LIMIT 1 BY SpanId, ServiceName, Timestamp, Duration, length(SpanAttributes) ${LIMITS}`,
    parameters,
  )
}

const AMONG_SPANS = "SpanId IN {spanIds:Array(String)}"

/**
 * `pagespan_spans` is ordered by span id and has service, name and time, which the collector's table is ordered by: with
 * them ClickHouse reads one granule of a large trace instead of each that the trace has spans in.
 */
const BY_KEY = `TraceId = {traceId:String}
  AND ServiceName IN {services:Array(String)} AND SpanName IN {names:Array(String)}
  AND Timestamp >= greatest(fromUnixTimestamp64Nano({first:Int64}), fromUnixTimestamp64Nano({oldest:Int64}))
  AND Timestamp <= fromUnixTimestamp64Nano({last:Int64})`

function keyOf(details: readonly DetailRow[], traceId: TraceId, oldest: Nanoseconds): Parameters {
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

const OF_TRACE = "TraceId = {traceId:String}"

async function readDetails(context: ReadContext, parameters: Parameters, where = OF_TRACE): Promise<DetailRow[]> {
  return context.clickhouse.select(
    `SELECT TraceId AS traceId, SpanId AS spanId, Source AS source, ServiceName AS service, SpanName AS name, toString(toUnixTimestamp64Nano(Timestamp)) AS start,
      toString(Duration) AS duration, AttributeCount AS attributeCount, Flags AS flags, DroppedAttributes AS droppedAttributes,
      DroppedEvents AS droppedEvents, DroppedLinks AS droppedLinks, SchemaUrl AS schemaUrl,
      mapKeys(ScopeAttributes) AS scopeKeys, mapValues(ScopeAttributes) AS scopeValues,
      AttributeTypes AS types, ExactAttributes AS exacts
    FROM ${context.from("pagespan_spans")} WHERE ${where} LIMIT 1 BY TraceId, SpanId, Source ${LIMITS}`,
    parameters,
  )
}

/**
 * Of several rows of one span, the one from OTLP holds the most. A row and its detail belong together if they agree on service,
 * times and number of attributes; if they agree for two sources, both sources sent the same span. Over one protocol the same id
 * from two services is two spans, as in `oncePerSpan`; one of them has no detail once the store has merged the details. Over two
 * protocols it is one span, whose service Sentry's SDK names in its own way.
 */
function onePerSpan(traceId: TraceId, rows: readonly TraceRow[], details: readonly DetailRow[]): SpanRecord[] {
  const bestLast = details.toSorted((a, b) => rank(b.source) - rank(a.source))
  const bySpan = new Map(bestLast.map((detail) => [identity(detail), detail]))
  const byShape = new Map(
    bestLast.map((detail) => [`${identity(detail)} ${shape(detail, detail.attributeCount)}`, detail]),
  )
  const overOtlp = new Set(details.filter(({ source }) => source === "otlp").map(({ spanId }) => spanId))
  const parse = parseOnce()
  const spans = new Map<string, SpanRecord>()
  for (const row of rows) {
    const detail = byShape.get(`${identity(row)} ${shape(row, row.keys.length)}`) ?? bySpan.get(identity(row))
    if (detail?.source === "sentry" && overOtlp.has(row.spanId)) continue
    const earlier = spans.get(identity(row))
    if (earlier && rank(earlier.source) <= rank(detail?.source)) continue
    spans.set(identity(row), toSpanRecord(traceId, row, detail ? toDetail(detail, parse) : NO_DETAIL))
  }
  return [...spans.values()]
}

/** One record per source of a span. If both sources sent the same, there is one row and two records of it. */
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

function identity({ spanId, service }: { spanId: string; service: string }): string {
  return `${spanId} ${service || "unknown_service"}`
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

/** Spans of one kind share their types: this parses each distinct text once. */
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

/** Condition for the rows of one trace, which limits the query to its seconds. `readTraceTime` returns its parameters. */
export const IN_TRACE = `TraceId = {traceId:String}
  AND Timestamp >= greatest(toDateTime64({first:UInt32}, 9), fromUnixTimestamp64Nano({oldest:Int64}))
  AND Timestamp < toDateTime64({last:UInt32}, 9) + INTERVAL 1 SECOND`

/** Parameters of `IN_TRACE`, or `undefined` if nothing of the trace is stored. `first` is its first second. */
export async function readTraceTime(
  context: ReadContext,
  traceId: TraceId,
): Promise<(Parameters & { readonly first: string }) | undefined> {
  const [row] = await context.clickhouse.select<{ found: number; first: string; last: string }>(
    `SELECT toUInt8(count() > 0) AS found, toString(toUnixTimestamp(min(Start))) AS first,
      toString(toUnixTimestamp(max(End))) AS last
    FROM ${context.from("otel_traces_trace_id_ts")} WHERE TraceId = {traceId:String} ${TIME_LIMITS}`,
    { traceId },
  )
  return row?.found ? { traceId, first: row.first, last: row.last, oldest: String(context.oldest) } : undefined
}
