"use client"

const WIDTH = 72

/** A length beside others: `share` of the longest, 0 to 1. The text beside it says how long. */
export function TotalBar({ share }: { share: number }) {
  return (
    <svg width={WIDTH} height="8" aria-hidden="true" focusable="false">
      <rect width={Math.max(1, share * WIDTH)} height="8" rx="2" />
    </svg>
  )
}
