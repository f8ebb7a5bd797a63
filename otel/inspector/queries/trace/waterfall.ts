import { SPAN_KINDS } from "../../../protocol/records/span.ts"
import { distinct, indexesWhere, pick, type Texts } from "./columns/typed-arrays.ts"
import { skewedSpans } from "./clock-skew.ts"
import { type Links, linkSpans, type SpanTraits } from "./span-links.ts"
import type { PageLoads } from "./trace-marks.ts"
import { type OutlineEvent, type TraceOutline, withoutVitals } from "./trace-outline.ts"
import { MARK, type WaterfallColumns } from "./waterfall-columns.ts"

/**
 * Lays the spans of a trace out as the rows of a waterfall: parents before children, siblings by time. Every span is a row: a
 * span whose parent is missing is at the top level, and a ring of parents is cut at its earliest span. Only web vitals are
 * no rows but marks on the time axis. O(n), without recursion.
 */
export function layOut(whole: TraceOutline, pages: PageLoads = NO_PAGES, linked = linkRows(whole)): WaterfallColumns {
  const { outline, links } = linked
  const skewed = skewedSpans(outline, links, new Set(pages.keys()))
  return {
    startTimeUnixNano: String(whole.startTime),
    durationNano: String(extent(outline)),
    spanCount: outline.ids.length,
    stored: whole.stored,
    shown: whole.ids.length,
    errorCount: outline.errors.reduce((sum, error) => sum + error, 0),
    ...columns(outline, links.order, whole.services),
    depths: pick(links.depth, links.order),
    marks: marks(outline, links, skewed),
    ...eventColumns(outline.events, links.position),
    ...missingParents(outline, links),
    ringCount: links.ringCount,
    skewedCount: skewed.size,
    pages: [...pages].map(([spanId, firstByte]) => ({ spanId, firstByteNano: firstByte ?? null })),
  }
}

const NO_PAGES: PageLoads = new Map()

/** The spans that have a row, and how they are linked. */
export interface LinkedRows {
  readonly outline: TraceOutline
  readonly links: Links
}

export function linkRows(whole: TraceOutline): LinkedRows {
  const outline = withoutVitals(whole)
  const { services, kinds } = outline
  const traits: SpanTraits = {
    service: (span) => services.indexes[span],
    kind: (span) => SPAN_KINDS[kinds[span] ?? 0],
  }
  return { outline, links: linkSpans(outline.ids, outline.parentIds, traits) }
}

/** Missing parents that are listed; all of them are counted. */
const NAMED_PARENTS = 3

/** @param every the services of every span, with those of the web vitals, so that the counts add up to all spans. */
function columns(outline: TraceOutline, order: Int32Array, every: Texts) {
  // Services are in the order of their first rows.
  const rows = pick(outline.services.indexes, order)
  const services = [...new Set([...distinct(rows), ...distinct(every.indexes)])]
  const places = new Uint32Array(every.values.length)
  services.forEach((service, place) => (places[service] = place))
  const serviceCounts = services.map(() => 0)
  for (const service of every.indexes) {
    const place = places[service] ?? 0
    serviceCounts[place] = (serviceCounts[place] ?? 0) + 1
  }
  return {
    services: services.map((service) => every.values[service] ?? ""),
    serviceCounts,
    names: outline.names.values,
    serviceIndexes: rows.map((service) => places[service] ?? 0),
    nameIndexes: pick(outline.names.indexes, order),
    ids: outline.ids.pick(order).words,
    offsets: pick(outline.offsets, order),
    durations: pick(outline.durations, order),
    kinds: pick(outline.kinds, order),
  }
}

function marks({ errors, events, cached }: TraceOutline, { order, missing, cut }: Links, skewed: ReadonlySet<number>) {
  const sums = errors.map((error) => (error === 1 ? MARK.error : 0))
  const mark = (spans: Iterable<number>, bit: number) => {
    for (const span of spans) sums[span] = (sums[span] ?? 0) | bit
  }
  mark(missing, MARK.parentMissing)
  mark(cut, MARK.ringCut)
  mark(
    events.flatMap(({ isException, span }) => (isException ? [span] : [])),
    MARK.exception,
  )
  mark(skewed, MARK.skewed)
  mark(
    indexesWhere(cached.length, (span) => cached[span] === 1),
    MARK.cached,
  )
  return pick(sums, order)
}

function eventColumns(events: readonly OutlineEvent[], position: Int32Array) {
  const placed = events
    .map(({ span, offset, isException }) => ({ row: position[span] ?? 0, offset, isException }))
    .sort((a, b) => a.row - b.row || a.offset - b.offset)
  return {
    eventRows: Int32Array.from(placed, ({ row }) => row),
    eventOffsets: Float64Array.from(placed, ({ offset }) => offset),
    eventKinds: Uint8Array.from(placed, ({ isException }) => Number(isException)),
  }
}

/**
 * From the earliest start to the latest end of a row. A web vital that settles when the visitor leaves, minutes later, is no
 * time of the trace.
 */
function extent({ offsets, durations }: TraceOutline): number {
  return offsets.reduce((end, offset, span) => Math.max(end, offset + (durations[span] ?? 0)), 0)
}

/** The first ids of missing parents, and how many there are. */
function missingParents({ parentIds }: TraceOutline, { missing }: Links) {
  const parents = parentIds.pick(Int32Array.from(missing))
  const firsts = parents.indexesOf(parents)
  const distinct = indexesWhere(firsts.length, (place) => firsts[place] === place)
  return {
    missingParents: Array.from(distinct.slice(0, NAMED_PARENTS), (place) => parents.text(place)),
    missingParentCount: distinct.length,
  }
}
