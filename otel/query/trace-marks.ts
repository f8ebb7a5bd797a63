import type { SpanRecord } from "../model/span.ts"
import { VITALS } from "./route-reader.ts"
import type { TraceError } from "./trace-reader.ts"
import { type Rating, ratingOf } from "./vital-ratings.ts"

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
