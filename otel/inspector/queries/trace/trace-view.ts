import type { TraceId } from "../../../protocol/records/ids.ts"
import type { SpanRecord } from "../../../protocol/records/span.ts"
import type { TraceReader } from "../list/trace-reader.ts"
import { textAt } from "./columns/typed-arrays.ts"
import { earlySpans } from "./clock-skew.ts"
import { type Finding, findingsOf } from "./findings/findings.ts"
import { sampledSpans, siblingGroups } from "./findings/sibling-calls.ts"
import { type ErrorMark, errorMarks, pageLoads, type VitalMark, vitalMarks } from "./trace-marks.ts"
import { namingSpan, traceName, type TraceOutline, vitalSpans } from "./trace-outline.ts"
import type { WaterfallColumns } from "./waterfall-columns.ts"
import { layOut, type LinkedRows, linkRows } from "./waterfall.ts"

/** A trace as its screen shows it, as plain data. A page receives only the first rows of the waterfall. */
export interface TraceView {
  readonly traceId: string
  readonly name: string
  /** Service of the span that names the trace. */
  readonly service: string
  readonly waterfall: WaterfallColumns
  readonly vitals: readonly VitalMark[]
  readonly errors: readonly ErrorMark[]
  readonly findings: readonly Finding[]
}

/** Most spans whose attributes are read in addition to the outline. */
const DETAILED_SPAN_LIMIT = 500
const TOP_LEVEL_LIMIT = 50

/** `undefined` when no span of the trace is stored. */
export async function readTraceView(traces: TraceReader, traceId: TraceId): Promise<TraceView | undefined> {
  const [outline, errors] = await Promise.all([traces.readOutline(traceId), traces.listTraceErrors(traceId)])
  if (outline === undefined) return undefined
  const rows = linkRows(outline)
  const groups = siblingGroups(rows.outline, rows.links)
  const detailed = await traces.readSpans(
    traceId,
    detailedSpans(outline, rows, sampledSpans(rows.outline, groups)) as SpanRecord["spanId"][],
  )
  const pages = pageLoads(detailed, outline.startTime)
  return {
    traceId,
    name: traceName(outline),
    service: textAt(outline.services, namingSpan(outline)),
    waterfall: layOut(outline, pages, rows),
    vitals: vitalMarks(detailed, outline.startTime),
    errors: errorMarks(errors, outline.startTime),
    findings: findingsOf({
      ...rows,
      groups,
      vitals: vitalsOf(outline),
      pageloads: new Set(pages.keys()),
      records: new Map(detailed.map((span) => [span.spanId, span])),
    }),
  }
}

/** Ids of the spans that may report a web vital or be a page load, and of those by which findings judge calls of one name. */
function detailedSpans(outline: TraceOutline, rows: LinkedRows, sampled: readonly string[]): string[] {
  const { ids, parentIds } = outline
  const vitals = vitalSpans(outline)
  const detailed = new Set<string>()
  for (let span = 0; span < ids.length && detailed.size < TOP_LEVEL_LIMIT; span++)
    if (parentIds.isNone(span)) detailed.add(ids.text(span))
  for (const id of sampled) detailed.add(id)
  // Parents of web vitals. A page load starts before its parent, unless the clocks differ.
  for (const span of vitals) if (!parentIds.isNone(span)) detailed.add(parentIds.text(span))
  for (const span of vitals) detailed.add(ids.text(span))
  const early = earlySpans(rows.outline, rows.links).slice(0, DETAILED_SPAN_LIMIT)
  for (const span of early) detailed.add(rows.outline.ids.text(span))
  return [...detailed].slice(0, DETAILED_SPAN_LIMIT)
}

function vitalsOf(outline: TraceOutline) {
  const { ids, names, offsets, durations } = outline
  return Array.from(vitalSpans(outline), (span) => ({
    id: ids.text(span),
    name: textAt(names, span),
    end: (offsets[span] ?? 0) + (durations[span] ?? 0),
  }))
}

/** How long a view is held for the requests that follow its page. */
const MAX_AGE_MS = 20_000
const VIEW_LIMIT = 3

/** The latest views. A page and the requests that it sends next show the same trace, and the store is read once. */
export class RecentTraceViews {
  readonly #views = new Map<string, { readonly view: TraceView; readonly expiry: NodeJS.Timeout }>()

  add(view: TraceView): void {
    const { traceId } = view
    this.#remove(traceId)
    for (const oldest of this.#views.keys()) if (this.#views.size >= VIEW_LIMIT) this.#remove(oldest)
    // A view can take megabytes: do not hold it until the next trace is opened.
    const expiry = setTimeout(() => this.#remove(traceId), MAX_AGE_MS)
    expiry.unref()
    this.#views.set(traceId, { view, expiry })
  }

  find(traceId: string): TraceView | undefined {
    return this.#views.get(traceId)?.view
  }

  #remove(traceId: string): void {
    clearTimeout(this.#views.get(traceId)?.expiry)
    this.#views.delete(traceId)
  }
}
