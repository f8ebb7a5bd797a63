import type { Rating } from "#otel/inspector/queries/trace/trace-marks.ts"

/** A shape for each rating, so that its colour is never the only thing that tells it. */
export const RATING_SIGN: Readonly<Record<Rating, string>> = { good: "●", "needs improvement": "▲", poor: "■" }
