import { SPAN_KINDS } from "../../../protocol/records/span.ts"
import { skewedSpans } from "./clock-skew.ts"
import { type Links, linkSpans } from "./span-links.ts"
import { type PageLoads, withoutVitals } from "./trace-marks.ts"
import type { OutlineEvent, TraceOutline } from "./trace-outline.ts"
import { MARK, MARK_RADIX, Numbered, type WaterfallJson } from "./waterfall-json.ts"

/**
 * Lays the spans of a trace out as the rows of a waterfall: parents before children, siblings by time. Every span is a row: a
 * span whose parent is missing is at the top level, and a ring of parents is cut at its earliest span. Only web vitals are
 * no rows but marks on the time axis. O(n log n), without recursion.
 */
export function layOut(whole: TraceOutline, pages: PageLoads = NO_PAGES, linked = linkRows(whole)): WaterfallJson {
  const { outline, links } = linked
  const skewed = skewedSpans(outline, links, new Set(pages.keys()))
  const missing = missingParents(outline, links)
  return {
    startTimeUnixNano: String(whole.startTime),
    durationNano: String(extent(outline)),
    spanCount: outline.ids.length,
    rowsHere: outline.ids.length,
    stored: whole.stored,
    shown: whole.ids.length,
    errorCount: outline.errors.reduce((sum, error) => sum + error, 0),
    ...columns(outline, links.order, whole.services),
    depths: links.order.map((span) => links.depth[span]).join(","),
    marks: marks(outline, links, skewed),
    ...eventColumns(outline.events, links.position),
    missingParents: missing.slice(0, NAMED_PARENTS),
    missingParentCount: missing.length,
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
  return { outline, links: linkSpans(outline.ids, outline.parentIds) }
}

/** Missing parents that are listed; all of them are counted. */
const NAMED_PARENTS = 3

/** @param spanServices the service of every span, with those of the web vitals, so that the counts add up to all spans. */
function columns(outline: TraceOutline, order: readonly number[], spanServices: readonly string[]) {
  const services = new Numbered()
  const names = new Numbered()
  const serviceIndexes = order.map((span) => services.indexOf(outline.services[span] ?? ""))
  const nameIndexes = order.map((span) => names.indexOf(outline.names[span] ?? ""))
  const spanIndexes = spanServices.map((service) => services.indexOf(service))
  const serviceCounts = services.values.map(() => 0)
  for (const index of spanIndexes) serviceCounts[index] = (serviceCounts[index] ?? 0) + 1
  return {
    services: services.values,
    serviceCounts,
    names: names.values,
    serviceIndexes: serviceIndexes.join(","),
    nameIndexes: nameIndexes.join(","),
    ids: order.map((span) => outline.ids[span]).join(""),
    offsets: order.map((span) => outline.offsets[span]).join(","),
    durations: order.map((span) => outline.durations[span]).join(","),
    kinds: order.map((span) => SPAN_KINDS.indexOf(outline.kinds[span] ?? "unspecified")).join(""),
  }
}

function marks({ errors, events }: TraceOutline, { order, missing, cut }: Links, skewed: ReadonlySet<number>): string {
  const withException = new Set(events.filter(({ isException }) => isException).map(({ span }) => span))
  const sum = (span: number) =>
    (errors[span] === 1 ? MARK.error : 0) +
    (missing.has(span) ? MARK.parentMissing : 0) +
    (cut.has(span) ? MARK.ringCut : 0) +
    (withException.has(span) ? MARK.exception : 0) +
    (skewed.has(span) ? MARK.skewed : 0)
  return order.map((span) => sum(span).toString(MARK_RADIX)).join("")
}

function eventColumns(events: readonly OutlineEvent[], position: Int32Array) {
  const placed = events
    .map(({ span, offset, isException }) => ({ row: position[span] ?? 0, offset, isException }))
    .sort((a, b) => a.row - b.row || a.offset - b.offset)
  return {
    eventRows: placed.map(({ row }) => row).join(","),
    eventOffsets: placed.map(({ offset }) => offset).join(","),
    eventKinds: placed.map(({ isException }) => (isException ? "1" : "0")).join(""),
  }
}

/**
 * From the earliest start to the latest end of a row. A web vital that settles when the visitor leaves, minutes later, is no
 * time of the trace.
 */
function extent({ offsets, durations }: TraceOutline): number {
  return offsets.reduce((end, offset, span) => Math.max(end, offset + (durations[span] ?? 0)), 0)
}

function missingParents({ parentIds }: TraceOutline, { missing }: Links): string[] {
  return [...new Set(Array.from(missing, (span) => parentIds[span] ?? ""))]
}
