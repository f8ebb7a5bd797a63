"use client"

import type { VitalDetail } from "#otel/inspector/queries/routes/route-reader.ts"

/** Shares of good, needs improvement and poor, in percent. The text next to it has the numbers. */
export function RatingBar({ good, needsImprovement, poor }: Pick<VitalDetail, "good" | "needsImprovement" | "poor">) {
  return (
    <svg aria-hidden="true" focusable="false">
      <rect data-rating="good" width={`${good}%`} height="100%" />
      <rect data-rating="needs improvement" x={`${good}%`} width={`${needsImprovement}%`} height="100%" />
      <rect data-rating="poor" x={`${good + needsImprovement}%`} width={`${poor}%`} height="100%" />
    </svg>
  )
}
