import type { SpanId } from "../model/ids.ts"
import { serviceName, type SpanRecord, type SpanSource } from "../model/span.ts"
import { nanoseconds, type Nanoseconds } from "../model/time.ts"
import { linkSpans, type Links } from "./span-links.ts"

/**
 * Lays the spans of one trace out as the rows of a waterfall: parents before children, siblings by clock.
 * Every span that came is a row, whatever its parent link says: one whose parent has not arrived stands at the top level,
 * and a ring of parent links is cut at its earliest span. O(n log n), and no depth can exhaust the stack.
 */

export interface WaterfallRow {
  readonly span: SpanRecord
  /** The protocols that brought the span: more than one when it came twice. */
  readonly sources: readonly SpanSource[]
  /** 0 at the top level. */
  readonly depth: number
  /** Index of the parent's row, or -1 at the top level. */
  readonly parent: number
  readonly childCount: number
  /** The rows of all descendants follow this one directly: the next row that is none is at `index + descendantCount + 1`. */
  readonly descendantCount: number
  /** Names a parent that is not among the spans. */
  readonly parentMissing: boolean
  /** Its parent link closed a ring and was cut. */
  readonly ringCut: boolean
}

export interface Waterfall {
  readonly rows: readonly WaterfallRow[]
  /** Earliest start of any span. */
  readonly startTime: Nanoseconds
  /** From the earliest start to the latest end. */
  readonly duration: Nanoseconds
  /** Ids that spans name as their parent and that are not among the spans. */
  readonly missingParents: readonly SpanId[]
  /** Rings of parent links that were cut. */
  readonly ringCount: number
}

export function buildWaterfall(records: readonly SpanRecord[]): Waterfall {
  const { spans, sources } = withoutRepeats(records)
  const links = linkSpans(spans)
  const rows = links.order.map((span) => ({ ...row(spans, links, span), sources: sources[span] ?? [] }))
  return { rows, ...extent(spans), missingParents: missingParents(spans, links), ringCount: links.ringCount }
}

/** Name of the root span; where the root has not arrived, of the earliest. As the trace list names the trace. */
export function traceName(spans: readonly SpanRecord[]): string {
  return (spans.find(({ parentSpanId }) => parentSpanId === undefined) ?? spans[0])?.name ?? ""
}

function row(spans: readonly SpanRecord[], links: Links, index: number): Omit<WaterfallRow, "sources"> {
  const parentIndex = at(links.parent, index)
  return {
    span: at(spans, index),
    depth: at(links.depth, index),
    parent: parentIndex === -1 ? -1 : at(links.position, parentIndex),
    childCount: at(links.childCount, index),
    descendantCount: at(links.descendantCount, index),
    parentMissing: links.missing.has(index),
    ringCut: links.cut.has(index),
  }
}

interface Distinct {
  readonly spans: readonly SpanRecord[]
  readonly sources: readonly (readonly SpanSource[])[]
}

/**
 * The same span may have come by OTLP and by Sentry: it is one row, shown as OTLP tells it, which carries more. The same
 * id from two services is two spans: Zipkin's way of sharing one between client and server.
 */
function withoutRepeats(records: readonly SpanRecord[]): Distinct {
  const byIdentity = new Map<string, { span: SpanRecord; sources: Set<SpanSource> }>()
  for (const span of records) {
    const identity = `${span.spanId}${serviceName(span.resource)}`
    const known = byIdentity.get(identity)
    if (known === undefined) byIdentity.set(identity, { span, sources: new Set([span.source]) })
    else {
      if (known.span.source !== "otlp" && span.source === "otlp") known.span = span
      known.sources.add(span.source)
    }
  }
  const distinct = [...byIdentity.values()].sort((a, b) => byClock(a.span, b.span))
  return { spans: distinct.map(({ span }) => span), sources: distinct.map(({ sources }) => [...sources]) }
}

/** By start; of two that start together the longer first, since it may hold the other; then by id, to be the same each time. */
function byClock(a: SpanRecord, b: SpanRecord): number {
  if (a.startTime !== b.startTime) return a.startTime < b.startTime ? -1 : 1
  if (a.endTime !== b.endTime) return a.endTime > b.endTime ? -1 : 1
  return a.spanId < b.spanId ? -1 : 1
}

function extent(spans: readonly SpanRecord[]): Pick<Waterfall, "startTime" | "duration"> {
  const startTime = spans[0]?.startTime ?? nanoseconds(0n)
  let end: bigint = startTime
  for (const span of spans) if (span.endTime > end) end = span.endTime
  return { startTime, duration: nanoseconds(end - startTime) }
}

function missingParents(spans: readonly SpanRecord[], links: Links): SpanId[] {
  const ids = new Set<SpanId>()
  for (const index of links.missing) {
    const parent = at(spans, index).parentSpanId
    if (parent !== undefined) ids.add(parent)
  }
  return [...ids]
}

function at<T>(values: { readonly [index: number]: T }, index: number): T {
  return values[index] as T
}
