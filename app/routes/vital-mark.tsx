"use client"

import { countOf } from "#app/_ui/format/quantity.ts"
import type { Vital, VitalFigure } from "#otel/inspector/queries/routes/route-reader.ts"
import { type Rating, ratingOf } from "#otel/inspector/queries/trace/trace-marks.ts"
import { formatVital } from "./figures.ts"
import styles from "./vital-mark.module.css"

/** One shape per rating, so that colour is not the only signal. */
const SHAPES: Readonly<Record<Rating, string>> = {
  good: "M8 3a5 5 0 1 0 0 10 5 5 0 0 0 0-10z",
  "needs improvement": "M8 2.5 14 13H2z",
  poor: "M3 3h10v10H3z",
}

/** A web vital at the 75th percentile, with its rating: https://web.dev/articles/vitals */
export function VitalMark({ vital, figure }: { vital: Vital; figure: VitalFigure | undefined }) {
  if (figure === undefined) return <span className={styles.none}>–</span>
  const rating = ratingOf(vital, figure.p75)
  return (
    <span className={styles.vital} data-rating={rating} title={`${rating}, ${countOf(figure.count, "page")}`}>
      <svg width="10" height="10" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
        <path d={SHAPES[rating]} />
      </svg>
      {formatVital(vital, figure.p75)}
      <span className="visually-hidden">, {rating}</span>
    </span>
  )
}
