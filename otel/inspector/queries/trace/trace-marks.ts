import type { SpanRecord } from "../../../protocol/records/span.ts"
import type { TraceError } from "../list/trace-reader.ts"
import { type Vital, VITALS } from "../routes/route-reader.ts"
import { isVital } from "./trace-outline.ts"

export type Rating = "good" | "needs improvement" | "poor"

export interface VitalMeaning {
  readonly name: string
  /** Good up to and including this value; milliseconds, for CLS a score. */
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

/** A web vital on the time axis, as plain JSON. */
export interface VitalMark {
  /** `LCP`, `CLS`, … */
  readonly name: string
  /** Milliseconds; a score for CLS. */
  readonly value: number
  readonly rating: Rating
  /** From the earliest start of the trace. */
  readonly offsetNano: number
  /** The span that reported it. */
  readonly spanId: string
  /** The page load that it measures. */
  readonly page: { readonly spanId: string; readonly name: string }
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
 * The web vitals that spans report: vital spans (`browser.web_vital.lcp`), else attributes of a page load, including
 * Sentry's measurements. One of each name for each page load; a vital span takes precedence.
 *
 * @param startTime earliest start of the trace, in nanoseconds since the epoch.
 */
export function vitalMarks(spans: readonly SpanRecord[], startTime: bigint): VitalMark[] {
  const marks = new Map<string, VitalMark>()
  const names = new Map<string, string>(spans.map(({ spanId, name }) => [spanId, name]))
  const byKind = spans.toSorted((a, b) => Number(isVital(b.name)) - Number(isVital(a.name)))
  for (const span of byKind)
    for (const mark of marksOf(span, startTime)) {
      const pageId = isVital(span.name) ? (span.parentSpanId ?? span.spanId) : span.spanId
      const key = `${mark.name} ${pageId}`
      if (!marks.has(key)) marks.set(key, { ...mark, page: { spanId: pageId, name: names.get(pageId) ?? "" } })
    }
  return [...marks.values()].sort((a, b) => a.offsetNano - b.offsetNano)
}

function marksOf(span: SpanRecord, startTime: bigint): Omit<VitalMark, "page">[] {
  const start = Number(span.startTime - startTime)
  return [...span.attributes].flatMap(([key, attribute]) => {
    const [, ownName, sentryName] = VALUE.exec(key) ?? []
    const name = VITALS.find((vital) => vital === (ownName ?? sentryName))
    const value = Number(attribute)
    if (name === undefined || typeof attribute === "boolean" || attribute === null || !Number.isFinite(value)) return []
    const rating = RATINGS.get(span.attributes.get(`browser.web_vital.${name}.rating`))
    return [
      {
        name: name.toUpperCase(),
        value,
        rating: rating ?? ratingOf(name, value),
        offsetNano: start + momentOf(span, name, value),
        spanId: span.spanId,
      },
    ]
  })
}

/**
 * Nanoseconds from the start of the span that reports a vital to its moment. A paint and the first byte are at the end of
 * their own span; on the span of a page load, their value is the time since its start. An interaction is where it began,
 * and a score has no moment on a page load.
 */
function momentOf(span: SpanRecord, name: Vital, value: number): number {
  if (name === "cls" || name === "inp") return 0
  return isVital(span.name) ? Number(span.endTime - span.startTime) : value * NANOS_A_MS
}

/** Page loads by span id, with the moment of their first byte where it is known. Nanoseconds from the start of the trace. */
export type PageLoads = ReadonlyMap<string, number | undefined>

/** @param startTime earliest start of the trace, in nanoseconds since the epoch. */
export function pageLoads(spans: readonly SpanRecord[], startTime: bigint): PageLoads {
  const loads = spans.filter(({ attributes }) => attributes.get("sentry.op") === "pageload")
  const parents = new Map(spans.map((span) => [span.spanId as string, span.parentSpanId]))
  const firstBytes = vitalMarks(spans, startTime).filter(({ name }) => name === "TTFB")
  return new Map(
    loads.map(({ spanId }) => {
      const mark = firstBytes.find((each) => each.spanId === spanId || parents.get(each.spanId) === spanId)
      return [spanId, mark?.offsetNano]
    }),
  )
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
