import type { SpanRecord } from "../../../protocol/records/span.ts"
import type { TraceError } from "../list/trace-reader.ts"
import { type Vital, VITALS } from "../routes/route-reader.ts"
import type { TraceOutline } from "./trace-outline.ts"

/** Spans that tell a web vital by their name: `browser.web_vital.lcp`. They have no length. */
const VITAL_SPAN_PREFIX = "browser.web_vital."

export function isVitalName(name: string): boolean {
  return name.startsWith(VITAL_SPAN_PREFIX)
}

/** Ids of the spans that tell a vital and have nothing below them. */
export function vitalSpans({ ids, parentIds, names }: TraceOutline): string[] {
  const told = ids.filter((_, span) => isVitalName(names[span] ?? ""))
  if (told.length === 0) return told
  const parents = new Set(parentIds)
  return told.filter((id) => !parents.has(id))
}

/** The outline without the spans that stand on the time axis as marks. */
export function withoutVitals(outline: TraceOutline): TraceOutline {
  const left = new Set(vitalSpans(outline))
  if (left.size === 0) return outline
  const kept = outline.ids.flatMap((id, span) => (left.has(id) ? [] : [span]))
  const place = new Map(kept.map((span, index) => [span, index]))
  const pick = <T>(column: readonly T[]) => kept.map((span) => column[span] as T)
  return {
    ...outline,
    ids: pick(outline.ids),
    parentIds: pick(outline.parentIds),
    names: pick(outline.names),
    services: pick(outline.services),
    kinds: pick(outline.kinds),
    offsets: Float64Array.from(kept, (span) => outline.offsets[span] ?? 0),
    durations: Float64Array.from(kept, (span) => outline.durations[span] ?? 0),
    errors: Uint8Array.from(kept, (span) => outline.errors[span] ?? 0),
    events: outline.events.flatMap((event) => {
      const span = place.get(event.span)
      return span === undefined ? [] : [{ ...event, span }]
    }),
  }
}

export type Rating = "good" | "needs improvement" | "poor"

export interface VitalMeaning {
  readonly name: string
  /** Good up to and with this; milliseconds, of CLS a score. */
  readonly good: number
  /** Poor above this. */
  readonly poor: number
  readonly unit: "milliseconds" | "score"
}

/**
 * Google's thresholds, at the 75th percentile of visits.
 *
 * @see https://web.dev/articles/defining-core-web-vitals-thresholds
 * @see https://web.dev/articles/fcp
 * @see https://web.dev/articles/ttfb
 */
export const VITAL_MEANINGS: Readonly<Record<Vital, VitalMeaning>> = {
  lcp: { name: "Largest Contentful Paint", good: 2_500, poor: 4_000, unit: "milliseconds" },
  inp: { name: "Interaction to Next Paint", good: 200, poor: 500, unit: "milliseconds" },
  cls: { name: "Cumulative Layout Shift", good: 0.1, poor: 0.25, unit: "score" },
  fcp: { name: "First Contentful Paint", good: 1_800, poor: 3_000, unit: "milliseconds" },
  ttfb: { name: "Time to First Byte", good: 800, poor: 1_800, unit: "milliseconds" },
}

export function ratingOf(vital: Vital, value: number): Rating {
  const { good, poor } = VITAL_MEANINGS[vital]
  if (value <= good) return "good"
  return value <= poor ? "needs improvement" : "poor"
}

/** A moment of the page's life on the time axis, as plain JSON. */
export interface VitalMark {
  /** `LCP`, `CLS`, … */
  readonly name: string
  /** Milliseconds; a score for CLS. */
  readonly value: number
  readonly rating: Rating
  /** When it happened, from the earliest start of the trace. */
  readonly offsetNano: number
  /** The span that told it. */
  readonly spanId: string
}

/** An error event on the bar of its span, as plain JSON. */
export interface ErrorMark {
  readonly eventId: string
  readonly issueId: string
  readonly spanId: string
  readonly title: string
  readonly offsetNano: number
}

/** As web-vitals writes them. */
const RATINGS: ReadonlyMap<unknown, Rating> = new Map([
  ["good", "good"],
  ["needs-improvement", "needs improvement"],
  ["poor", "poor"],
])
const VALUE = /^(?:browser\.web_vital\.([a-z]+)\.value|sentry\.measurement\.([a-z]+))$/
const NANOS_A_MS = 1e6

/**
 * The web vitals that spans tell: those made for it (`browser.web_vital.lcp`) at the moment at which they happened, else the
 * attributes of a pageload, also as Sentry's measurements. One of each name for a pageload; the span made for it wins.
 *
 * @param startTime Nanoseconds since the epoch of the earliest start of the trace.
 */
export function vitalMarks(spans: readonly SpanRecord[], startTime: bigint): VitalMark[] {
  const marks = new Map<string, VitalMark>()
  const byKind = spans.toSorted((a, b) => Number(isOwn(b)) - Number(isOwn(a)))
  for (const span of byKind)
    for (const mark of marksOf(span, startTime)) {
      const page = isOwn(span) ? (span.parentSpanId ?? span.spanId) : span.spanId
      const key = `${mark.name} ${page}`
      if (!marks.has(key)) marks.set(key, mark)
    }
  return [...marks.values()].sort((a, b) => a.offsetNano - b.offsetNano)
}

function isOwn({ name }: SpanRecord): boolean {
  return name.startsWith("browser.web_vital.")
}

function marksOf(span: SpanRecord, startTime: bigint): VitalMark[] {
  const start = Number(span.startTime - startTime)
  return [...span.attributes].flatMap(([key, told]) => {
    const [, ours, sentrys] = VALUE.exec(key) ?? []
    const name = VITALS.find((vital) => vital === (ours ?? sentrys))
    const value = Number(told)
    if (name === undefined || typeof told === "boolean" || told === null || !Number.isFinite(value)) return []
    const rating = RATINGS.get(span.attributes.get(`browser.web_vital.${name}.rating`))
    // A time counts from the start of the page; a score has no moment of its own there.
    const after = isOwn(span) || name === "cls" || name === "inp" ? 0 : value * NANOS_A_MS
    return [
      {
        name: name.toUpperCase(),
        value,
        rating: rating ?? ratingOf(name, value),
        offsetNano: start + after,
        spanId: span.spanId,
      },
    ]
  })
}

export function errorMarks(errors: readonly TraceError[], startTime: bigint): ErrorMark[] {
  return errors.map(({ eventId, issueId, spanId, title, time }) => ({
    eventId,
    issueId,
    spanId,
    title,
    offsetNano: Number(time - startTime),
  }))
}
