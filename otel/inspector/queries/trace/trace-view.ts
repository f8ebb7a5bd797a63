import type { TraceId } from "../../../protocol/records/ids.ts"
import type { SpanRecord } from "../../../protocol/records/span.ts"
import type { TraceReader } from "../list/trace-reader.ts"
import { earlySpans } from "./clock-skew.ts"
import { type ErrorMark, errorMarks, type VitalMark, vitalMarks, vitalSpans } from "./trace-marks.ts"
import { traceName, type TraceOutline } from "./trace-outline.ts"
import type { WaterfallJson } from "./waterfall-json.ts"
import { layOut } from "./waterfall.ts"

/** A trace as its screen shows it, as plain JSON. A page receives only the first rows of the waterfall. */
export interface TraceView {
  readonly traceId: string
  readonly name: string
  /** Service of the span that names the trace. */
  readonly service: string
  readonly waterfall: WaterfallJson
  readonly vitals: readonly VitalMark[]
  readonly errors: readonly ErrorMark[]
}

/** Most spans whose attributes are read in addition to the outline. */
const DETAILED_SPAN_LIMIT = 500
const TOP_LEVEL_LIMIT = 50

/** `undefined` when no span of the trace is stored. */
export async function readTraceView(traces: TraceReader, traceId: TraceId): Promise<TraceView | undefined> {
  const [outline, errors] = await Promise.all([traces.readOutline(traceId), traces.listTraceErrors(traceId)])
  if (outline === undefined) return undefined
  const detailed = await traces.readSpans(traceId, detailedSpans(outline) as SpanRecord["spanId"][])
  return {
    traceId,
    name: traceName(outline),
    service: outline.services[Math.max(0, outline.parentIds.indexOf(""))] ?? "",
    waterfall: layOut(outline, pageloads(detailed)),
    vitals: vitalMarks(detailed, outline.startTime),
    errors: errorMarks(errors, outline.startTime),
  }
}

/** Spans that may report a web vital or be a page load. */
function detailedSpans(outline: TraceOutline): string[] {
  const topLevel = outline.ids.filter((_, span) => outline.parentIds[span] === "").slice(0, TOP_LEVEL_LIMIT)
  return [...new Set([...vitalSpans(outline), ...topLevel, ...earlySpans(outline)])].slice(0, DETAILED_SPAN_LIMIT)
}

function pageloads(spans: readonly SpanRecord[]): ReadonlySet<string> {
  return new Set(
    spans.filter(({ attributes }) => attributes.get("sentry.op") === "pageload").map((span) => span.spanId),
  )
}

/** How long a view is held for the requests that follow its page. */
const MAX_AGE_MS = 20_000
const VIEW_LIMIT = 3

/** The latest views. A page and the requests that it sends next show the same trace, and the store is read once. */
export class RecentTraceViews {
  readonly #views = new Map<string, TraceView>()

  add(view: TraceView): void {
    this.#views.delete(view.traceId)
    this.#views.set(view.traceId, view)
    for (const [traceId] of this.#views) if (this.#views.size > VIEW_LIMIT) this.#views.delete(traceId)
    // A view can take megabytes: do not hold it until the next trace is opened.
    setTimeout(() => this.#expire(view), MAX_AGE_MS).unref()
  }

  find(traceId: string): TraceView | undefined {
    return this.#views.get(traceId)
  }

  #expire(view: TraceView): void {
    if (this.#views.get(view.traceId) === view) this.#views.delete(view.traceId)
  }
}
