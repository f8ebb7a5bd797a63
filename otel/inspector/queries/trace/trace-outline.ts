import { isProxyRunName } from "../../../protocol/proxy-run.ts"
import type { SpanIds } from "./columns/span-ids.ts"
import { indexesWhere, pick, textAt, type Texts } from "./columns/typed-arrays.ts"

/**
 * What the waterfall layout needs of each span: its place, its name and whether it failed. One column for each property,
 * since a million small objects cost more than the layout itself. In order of start time; of two spans that start together,
 * the longer first, since it may contain the other.
 */
export interface TraceOutline {
  /** Nanoseconds since the epoch of the earliest start. */
  readonly startTime: bigint
  readonly ids: SpanIds
  /** None for a root span. */
  readonly parentIds: SpanIds
  readonly names: Texts
  readonly services: Texts
  /** Indexes into `SPAN_KINDS`. */
  readonly kinds: Uint8Array
  /** Nanoseconds from `startTime`. Exact up to 2^53: a trace of 104 days. */
  readonly offsets: Float64Array
  readonly durations: Float64Array
  /** 1 where the status is an error. */
  readonly errors: Uint8Array
  /** 1 where a page took a resource from the browser's memory, which takes no time that a page can measure. */
  readonly cached: Uint8Array
  readonly events: readonly OutlineEvent[]
  /** Stored spans of the trace. When there are more than the outline has, the outline has the earliest. */
  readonly stored: number
}

/** A span event. */
export interface OutlineEvent {
  /** Index of its span. */
  readonly span: number
  /** Nanoseconds from the start of the trace; negative when the event is earlier. */
  readonly offset: number
  readonly isException: boolean
}

/**
 * The span that names the trace: the root span; while the root is missing, the earliest. The run of a proxy names it only if there
 * is nothing else. The trace list uses the same rule.
 */
export function namingSpan({ names, parentIds }: TraceOutline): number {
  let earliest: number | undefined
  for (let span = 0; span < parentIds.length; span++) {
    if (isProxyRunName(textAt(names, span))) continue
    if (parentIds.isNone(span)) return span
    earliest ??= span
  }
  return earliest ?? 0
}

export function traceName(outline: TraceOutline): string {
  return textAt(outline.names, namingSpan(outline))
}

/** The outline of some spans, in the order of their indexes. Events of the others are left out. */
export function pickSpans(outline: TraceOutline, spans: Int32Array): TraceOutline {
  const { names, services, events } = outline
  return {
    ...outline,
    ids: outline.ids.pick(spans),
    parentIds: outline.parentIds.pick(spans),
    names: { values: names.values, indexes: pick(names.indexes, spans) },
    services: { values: services.values, indexes: pick(services.indexes, spans) },
    kinds: pick(outline.kinds, spans),
    offsets: pick(outline.offsets, spans),
    durations: pick(outline.durations, spans),
    errors: pick(outline.errors, spans),
    cached: pick(outline.cached, spans),
    events: events.length === 0 ? events : pickEvents(events, spans),
  }
}

function pickEvents(events: readonly OutlineEvent[], spans: Int32Array): OutlineEvent[] {
  const places = new Map<number, number>()
  spans.forEach((span, place) => places.set(span, place))
  return events.flatMap((event) => {
    const span = places.get(event.span)
    return span === undefined ? [] : [{ ...event, span }]
  })
}

/**
 * Spans that report a web vital are named `browser.web_vital.lcp` and so on. Pagespan's reach over the time that the vital
 * measures, those of other SDKs stand at its moment.
 */
export const VITAL_SPAN_PREFIX = "browser.web_vital."

export function isVital(name: string): boolean {
  return name.startsWith(VITAL_SPAN_PREFIX)
}

/** Indexes of the spans that report a vital and have no children. */
export function vitalSpans({ ids, parentIds, names }: TraceOutline): Int32Array {
  const isVitalName = Uint8Array.from(names.values, (name) => (isVital(name) ? 1 : 0))
  if (!isVitalName.includes(1)) return new Int32Array()
  const hasChildren = new Uint8Array(ids.length)
  for (const parent of ids.indexesOf(parentIds)) if (parent !== -1) hasChildren[parent] = 1
  return indexesWhere(ids.length, (span) => isVitalName[names.indexes[span] ?? -1] === 1 && hasChildren[span] === 0)
}

/** The outline without the vitals, which are marks on the time axis instead of rows. */
export function withoutVitals(outline: TraceOutline): TraceOutline {
  const vitals = new Set(vitalSpans(outline))
  return vitals.size === 0
    ? outline
    : pickSpans(
        outline,
        indexesWhere(outline.ids.length, (span) => !vitals.has(span)),
      )
}
