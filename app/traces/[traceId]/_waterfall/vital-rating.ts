import type { Rating } from "#otel/inspector/queries/trace/trace-marks.ts"

/** One shape per rating, so that colour is not the only signal. */
export const RATING_SIGN: Readonly<Record<Rating, string>> = { good: "●", "needs improvement": "▲", poor: "■" }
