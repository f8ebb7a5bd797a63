import type { TraceId } from "../../../protocol/records/ids.ts"
import type { SpanRecord } from "../../../protocol/records/span.ts"
import type { TraceReader } from "../list/trace-reader.ts"
import { earlySpans } from "./clock-skew.ts"
import { type ErrorMark, errorMarks, type VitalMark, vitalMarks, vitalSpans } from "./trace-marks.ts"
import { traceName, type TraceOutline } from "./trace-outline.ts"
import type { WaterfallJson } from "./waterfall-json.ts"
import { layOut } from "./waterfall.ts"

/** A trace as its screen shows it, as plain JSON. A page is given the first rows of the waterfall alone. */
export interface TraceView {
  readonly traceId: string
  readonly name: string
  /** Service of the span that names the trace. */
  readonly service: string
  readonly waterfall: WaterfallJson
  readonly vitals: readonly VitalMark[]
  readonly errors: readonly ErrorMark[]
}

/** Spans whose attributes are read beside the outline: those that may tell a web vital, or be a pageload. */
const TELLING_LIMIT = 500
const TOP_LEVEL_LIMIT = 50

/** `undefined` when no span of the trace is known. */
export async function readTraceView(traces: TraceReader, traceId: TraceId): Promise<TraceView | undefined> {
  const [outline, errors] = await Promise.all([traces.readOutline(traceId), traces.listTraceErrors(traceId)])
  if (outline === undefined) return undefined
  const telling = await traces.readSpans(traceId, tellingSpans(outline) as SpanRecord["spanId"][])
  const view: TraceView = {
    traceId,
    name: traceName(outline),
    service: outline.services[Math.max(0, outline.parentIds.indexOf(""))] ?? "",
    waterfall: layOut(outline, pageloads(telling)),
    vitals: vitalMarks(telling, outline.startTime),
    errors: errorMarks(errors, outline.startTime),
  }
  latest.keep(view)
  return view
}

function tellingSpans(outline: TraceOutline): string[] {
  const topLevel = outline.ids.filter((_, span) => outline.parentIds[span] === "").slice(0, TOP_LEVEL_LIMIT)
  return [...new Set([...vitalSpans(outline), ...topLevel, ...earlySpans(outline)])].slice(0, TELLING_LIMIT)
}

function pageloads(spans: readonly SpanRecord[]): ReadonlySet<string> {
  return new Set(
    spans.filter(({ attributes }) => attributes.get("sentry.op") === "pageload").map((span) => span.spanId),
  )
}

/** How long a view that a page was made from is kept for the request by which that page gets the rest of it. */
const KEEP_MS = 20_000
const KEEP_VIEWS = 3

/** The latest views, so that a page and what it asks for next tell the same, and the store is read once. */
class LatestViews {
  readonly #views = new Map<string, TraceView>()

  keep(view: TraceView): void {
    this.#views.delete(view.traceId)
    this.#views.set(view.traceId, view)
    for (const [traceId] of this.#views) if (this.#views.size > KEEP_VIEWS) this.#views.delete(traceId)
    // Megabytes that nobody will ask for are not kept until the next trace is opened.
    setTimeout(() => this.#forget(view), KEEP_MS).unref()
  }

  find(traceId: string): TraceView | undefined {
    return this.#views.get(traceId)
  }

  #forget(view: TraceView): void {
    if (this.#views.get(view.traceId) === view) this.#views.delete(view.traceId)
  }
}

/** On the global object: Next bundles the page and the handler apart. */
const KEY = Symbol.for("pagespan.trace-views")
const latest = ((globalThis as { [KEY]?: LatestViews })[KEY] ??= new LatestViews())

/** The view of the page that was just made, or a new one. */
export async function latestTraceView(traces: TraceReader, traceId: TraceId): Promise<TraceView | undefined> {
  return latest.find(traceId) ?? readTraceView(traces, traceId)
}
