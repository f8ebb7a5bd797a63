"use client"

const WIDTH = 72

/** A bar for a duration. @param share of the longest duration, 0 to 1. The text next to it has the value. */
export function TotalBar({ share }: { share: number }) {
  return (
    <svg width={WIDTH} height="8" aria-hidden="true" focusable="false">
      <rect width={Math.max(1, share * WIDTH)} height="8" rx="2" />
    </svg>
  )
}
