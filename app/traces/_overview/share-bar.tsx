"use client"

import styles from "./difference-table.module.css"

const WIDTH = 60

interface ShareBarProps {
  /** From 0 to 1. */
  readonly share: number
  readonly kind: "selection" | "baseline"
}

export function ShareBar({ share, kind }: ShareBarProps) {
  return (
    <svg width={WIDTH} height="8" aria-hidden="true" focusable="false">
      <rect width={WIDTH} height="8" className={styles.whole} />
      <rect width={WIDTH * share} height="8" className={styles.part} data-kind={kind} />
    </svg>
  )
}
