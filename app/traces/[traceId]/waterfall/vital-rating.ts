import type { VitalRating } from "#otel/query/trace-marks.ts"

/** A shape for each rating, so that its colour is never the only thing that tells it. */
export const RATING_SIGN: Readonly<Record<VitalRating, string>> = { good: "●", "needs-improvement": "▲", poor: "■" }
export const RATING_WORDS: Readonly<Record<VitalRating, string>> = {
  good: "good",
  "needs-improvement": "needs improvement",
  poor: "poor",
}
