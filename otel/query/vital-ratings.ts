import type { Vital } from "./route-reader.ts"

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
