import type { TraceId } from "../../../../protocol/records/ids.ts"
import { SPAN_KINDS } from "../../../../protocol/records/span.ts"
import { SpanIds } from "../../../queries/trace/columns/span-ids.ts"
import { indexesWhere, pick, textAt, type Texts, textsOf } from "../../../queries/trace/columns/typed-arrays.ts"
import { type OutlineEvent, pickSpans, type TraceOutline } from "../../../queries/trace/trace-outline.ts"
import type { Parameters } from "../../clickhouse.ts"
import { kindOfName } from "../../rows/stored-values.ts"
import { SERVICE_OF_ROW } from "../../schema/span-tables.ts"
import { type ReadContext, readLimits } from "../context.ts"
import { RowBinaryReader } from "../row-binary.ts"
import { IN_TRACE, readTraceTime } from "./read-trace.ts"

/**
 * The outline of a trace, without the attribute maps, which are most of its bytes. ClickHouse returns each column as one
 * array of numbers: a million rows as text would take the app's process seconds.
 */

/** Spans of an outline at most: the earliest. */
export const OUTLINE_LIMIT = 1_000_000
/** Events of an outline at most; bars have no room for more. */
const EVENT_LIMIT = 20_000
const LIMITS = readLimits({ seconds: 30, rows: OUTLINE_LIMIT })

interface EventRow {
  readonly id: string
  readonly service: string
  readonly times: readonly string[]
  readonly names: readonly string[]
}

/** `undefined` for a trace that is not stored. */
export async function readOutline(
  context: ReadContext,
  traceId: TraceId,
  limit = OUTLINE_LIMIT,
): Promise<TraceOutline | undefined> {
  const time = await readTraceTime(context, traceId)
  if (time === undefined) return undefined
  const [{ rows, areAll }, events, duplicates] = await Promise.all([
    readRows(context, time, limit),
    context.clickhouse.select<EventRow>(eventsSql(context), time),
    readDuplicates(context, time),
  ])
  if (rows.ids.length === 0) return undefined
  const outline = oncePerSpan(rows, duplicates)
  const stored = areAll ? outline.ids.length : await countIn(context, time)
  const cached = outline.durations.includes(0) ? await readCached(context, time, outline) : outline.cached
  return { ...fromEarliest({ ...outline, cached }, events), stored }
}

type TraceTime = NonNullable<Awaited<ReturnType<typeof readTraceTime>>>

/** Rows in order of start time. A span that two requests or two protocols brought can be here twice. */
async function readRows(context: ReadContext, time: TraceTime, limit: number) {
  const read = async (clauses: string) => {
    const pieces = await context.clickhouse.selectBytes(outlineSql(context, clauses), time)
    return readColumns(new RowBinaryReader(pieces), time.first)
  }
  // Nearly every trace is below the limit, and needs no sort that finds its earliest rows.
  const rows = await read(`LIMIT ${limit + 1}`)
  if (rows.ids.length <= limit) return { rows, areAll: true }
  const earliest = await read(
    `ORDER BY Timestamp, Duration DESC, SpanId LIMIT 1 BY Id, Service, Timestamp, Duration LIMIT ${limit}`,
  )
  return { rows: earliest, areAll: earliest.ids.length < limit }
}

/** Nanoseconds from the first second of the trace. */
const SINCE = "(toUnixTimestamp64Nano(Timestamp) - toInt64({first:UInt32}) * 1000000000)"

/**
 * Reads the rows in any order, and the order of their start times: ClickHouse takes longer to sort whole rows, with their texts,
 * than for everything else.
 *
 * @param clauses that limit the rows.
 */
function outlineSql(context: ReadContext, clauses: string): string {
  return `SELECT arraySort((row, since) -> since, arrayEnumerate(groupArray(toFloat64(Since)) AS sinces), sinces),
  groupArray(Id), groupArray(ParentId), arrayEnumerateDense(groupArray(SpanName) AS spanNames),
  arrayDistinct(spanNames), arrayEnumerateDense(groupArray(Service) AS spanServices), arrayDistinct(spanServices),
  arrayEnumerateDense(groupArray(SpanKind) AS spanKinds), arrayDistinct(spanKinds),
  sinces, groupArray(toFloat64(Duration)), groupArray(IsError)
FROM (
  SELECT reinterpretAsUInt64(unhex(SpanId)) AS Id, reinterpretAsUInt64(unhex(ParentSpanId)) AS ParentId, SpanName,
    ${SERVICE_OF_ROW} AS Service, toString(SpanKind) AS SpanKind, ${SINCE} AS Since, Duration,
    toUInt8(StatusCode IN ('Error', 'STATUS_CODE_ERROR')) AS IsError
  FROM ${context.from("otel_traces")} WHERE ${IN_TRACE} ${clauses}
) ${LIMITS} FORMAT RowBinary`
}

/** The columns of `outlineSql`, in order of start time. */
function readColumns(reader: RowBinaryReader, second: string): TraceOutline {
  const order = new Int32Array(fromZero(reader.integers()).buffer)
  const ids = new SpanIds(reader.words())
  const parentIds = new SpanIds(reader.words())
  const names = readTexts(reader)
  const services = readTexts(reader)
  const kindNames = readTexts(reader)
  const kindOf = kindNames.values.map((name) => SPAN_KINDS.indexOf(kindOfName(name)))
  const kinds = new Uint8Array(kindNames.indexes.length)
  for (let row = 0; row < kinds.length; row++) kinds[row] = kindOf[kindNames.indexes[row] ?? -1] ?? 0
  const rows = {
    startTime: BigInt(second) * 1_000_000_000n,
    ids,
    parentIds,
    names,
    services,
    kinds,
    offsets: reader.floats(),
    durations: reader.floats(),
    errors: reader.bytes(),
    cached: new Uint8Array(ids.length),
    events: [],
    stored: ids.length,
  }
  sortTies(order, rows)
  return pickSpans(rows, order)
}

/** Of spans that start together, the longer comes first. */
function sortTies(order: Int32Array, { offsets, durations, ids }: TraceOutline): void {
  const starts = pick(offsets, order)
  for (let from = 0, to = 1; from < order.length; from = to++) {
    while (to < order.length && starts[to] === starts[from]) to++
    if (to - from > 1)
      order.subarray(from, to).sort((a, b) => (durations[b] ?? 0) - (durations[a] ?? 0) || ids.compare(a, b))
  }
}

/** ClickHouse numbers values in the order of their first occurrence. */
function readTexts(reader: RowBinaryReader): Texts {
  const indexes = fromZero(reader.integers())
  return { values: reader.texts(), indexes }
}

/** ClickHouse counts from 1. Changes the numbers in place. */
function fromZero(numbers: Uint32Array): Uint32Array {
  for (let place = 0; place < numbers.length; place++) numbers[place] = (numbers[place] ?? 0) - 1
  return numbers
}

function eventsSql(context: ReadContext): string {
  return `SELECT SpanId AS id, ${SERVICE_OF_ROW} AS service,
  arrayMap(t -> toString(toUnixTimestamp64Nano(t) - toInt64({first:UInt32}) * 1000000000), Events.Timestamp) AS times,
  Events.Name AS names
FROM ${context.from("otel_traces")} WHERE ${IN_TRACE} AND notEmpty(Events.Name)
ORDER BY Timestamp, SpanId LIMIT 1 BY SpanId, ServiceName LIMIT ${EVENT_LIMIT} ${LIMITS}`
}

/** Bytes that were transferred, headers included, and of the decoded body: in OpenTelemetry's style, and as Sentry's SDK has them. */
const TRANSFERRED = eitherOf("http.response.size", "http.response_transfer_size")
const DECODED = eitherOf("http.response.body.decoded_size", "http.decoded_response_content_length")

/** The attribute, of which a span has one name at most. */
function eitherOf(...names: readonly string[]): string {
  return `concat(${names.map((name) => `SpanAttributes['${name}']`).join(", ")})`
}

/**
 * Marks the resources without duration of which nothing was transferred. A query of its own, for these spans alone, because the
 * attribute maps are most of the bytes of a trace.
 *
 * @see https://www.w3.org/TR/resource-timing/#dom-performanceresourcetiming-transfersize
 */
async function readCached(context: ReadContext, time: Parameters, outline: TraceOutline): Promise<Uint8Array> {
  const rows = await context.clickhouse.select<{ id: string; service: string }>(
    `SELECT SpanId AS id, ${SERVICE_OF_ROW} AS service FROM ${context.from("otel_traces")}
    WHERE ${IN_TRACE} AND Duration = 0 AND ${TRANSFERRED} = '0' AND ${DECODED} NOT IN ('', '0')
    LIMIT ${OUTLINE_LIMIT} ${LIMITS}`,
    time,
  )
  const cached = new Uint8Array(outline.ids.length)
  for (const span of spanByIdentity(outline, rows).values()) cached[span] = 1
  return cached
}

/** Shapes of the rows that Sentry's protocol sent for spans that OTLP sent too. The rows of OTLP hold more. */
async function readDuplicates(context: ReadContext, time: Parameters): Promise<ReadonlySet<string>> {
  const spans = `${context.from("pagespan_spans")} WHERE TraceId = {traceId:String}`
  const shape = `concat(SpanId, ${SERVICE_OF_ROW}, ' ', toString(${SINCE}), ' ', toString(Duration))`
  const rows = await context.clickhouse.select<{ sentry: readonly string[]; otlp: readonly string[] }>(
    `SELECT groupArrayIf(${shape}, Source = 'sentry') AS sentry, groupArrayIf(${shape}, Source = 'otlp') AS otlp
    FROM ${spans} AND SpanId IN (SELECT SpanId FROM ${spans} AND Source = 'sentry')
    GROUP BY SpanId HAVING notEmpty(sentry) AND notEmpty(otlp) LIMIT ${OUTLINE_LIMIT} ${LIMITS}`,
    time,
  )
  return new Set(rows.flatMap(({ sentry, otlp }) => sentry.filter((row) => !otlp.includes(row))))
}

/**
 * One row of each span. The same span can have arrived twice, by two protocols or in a repeated request. The same id from two
 * services is two spans: Zipkin shares one id between client and server.
 */
function oncePerSpan(rows: TraceOutline, duplicates: ReadonlySet<string>): TraceOutline {
  if (rows.ids.areDistinct) return rows
  const firsts = rows.ids.indexesOf(rows.ids)
  const isRepeated = new Uint8Array(firsts.length)
  firsts.forEach((first, row) => {
    if (first !== row) isRepeated[row] = isRepeated[first] = 1
  })
  const seen = new Set<string>()
  const isSpan = (row: number) => {
    if (isRepeated[row] === 0) return true
    const identity = rows.ids.text(row) + textAt(rows.services, row)
    if (seen.has(identity) || duplicates.has(`${identity} ${rows.offsets[row]} ${rows.durations[row]}`)) return false
    seen.add(identity)
    return true
  }
  const spans = indexesWhere(firsts.length, isSpan)
  if (spans.length === rows.ids.length) return rows
  const outline = pickSpans(rows, spans)
  // Without the services and names of the other rows.
  const { names, services } = outline
  return { ...outline, names: withoutUnused(names), services: withoutUnused(services) }
}

function withoutUnused(texts: Texts): Texts {
  return textsOf(Array.from(texts.indexes, (_, span) => textAt(texts, span)))
}

/** Moves the start of the trace to its earliest span, and adds the events. */
function fromEarliest(outline: TraceOutline, events: readonly EventRow[]): TraceOutline {
  const earliest = outline.offsets[0] ?? 0
  return {
    ...outline,
    startTime: outline.startTime + BigInt(earliest),
    offsets: outline.offsets.map((offset) => offset - earliest),
    events: outlineEvents(outline, events, earliest),
  }
}

function outlineEvents(outline: TraceOutline, rows: readonly EventRow[], earliest: number): OutlineEvent[] {
  const spanOf = spanByIdentity(outline, rows)
  const events: OutlineEvent[] = []
  for (const { id, service, times, names } of rows) {
    const span = spanOf.get(id + service)
    if (span === undefined) continue
    times.forEach((time, index) =>
      events.push({ span, offset: Number(time) - earliest, isException: names[index] === "exception" }),
    )
    if (events.length >= EVENT_LIMIT) break
  }
  return events.slice(0, EVENT_LIMIT)
}

/** The spans of these rows, by id and service. */
function spanByIdentity(
  { ids, services }: TraceOutline,
  rows: readonly Pick<EventRow, "id" | "service">[],
): ReadonlyMap<string, number> {
  if (rows.length === 0) return new Map()
  const places = SpanIds.of(rows.map(({ id }) => id)).indexesOf(ids)
  const spans = indexesWhere(ids.length, (span) => places[span] !== -1)
  return new Map(Array.from(spans, (span) => [ids.text(span) + textAt(services, span), span]))
}

/** Stored spans of a trace, each once; 0 for a trace that is not stored. */
export async function countSpans(context: ReadContext, traceId: TraceId): Promise<number> {
  const time = await readTraceTime(context, traceId)
  return time === undefined ? 0 : countIn(context, time)
}

async function countIn(context: ReadContext, time: Parameters): Promise<number> {
  const [row] = await context.clickhouse.select<{ count: number }>(
    `SELECT toUInt32(uniqExact(SpanId)) AS count FROM ${context.from("pagespan_spans")} WHERE ${IN_TRACE} ${LIMITS}`,
    time,
  )
  return row?.count ?? 0
}
