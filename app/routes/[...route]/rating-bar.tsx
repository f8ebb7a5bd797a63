"use client"

/** Shares of good, needs improvement and poor, in percent. The text next to it has the numbers. */
export function RatingBar({ good, middling, poor }: Readonly<Record<"good" | "middling" | "poor", number>>) {
  return (
    <svg aria-hidden="true" focusable="false">
      <rect data-rating="good" width={`${good}%`} height="100%" />
      <rect data-rating="needs improvement" x={`${good}%`} width={`${middling}%`} height="100%" />
      <rect data-rating="poor" x={`${good + middling}%`} width={`${poor}%`} height="100%" />
    </svg>
  )
}
