"use client"

/** How many pages were good, middling and poor, in hundredths. The text beside it tells their numbers. */
export function RatingBar({ good, middling, poor }: Readonly<Record<"good" | "middling" | "poor", number>>) {
  return (
    <svg aria-hidden="true" focusable="false">
      <rect data-rating="good" width={`${good}%`} height="100%" />
      <rect data-rating="needs improvement" x={`${good}%`} width={`${middling}%`} height="100%" />
      <rect data-rating="poor" x={`${good + middling}%`} width={`${poor}%`} height="100%" />
    </svg>
  )
}
