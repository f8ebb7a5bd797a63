"use client"

import styles from "./duration-bar.module.css"

/** A bar for a duration. @param share of the longest duration, 0 to 1. The text next to it has the value. */
export function DurationBar({ share }: { share: number }) {
  return (
    <svg className={styles.bar} aria-hidden="true" focusable="false">
      <rect className={styles.track} width="100%" height="100%" rx="2" />
      <rect className={styles.fill} width={`${Math.min(1, Math.max(0, share)) * 100}%`} height="100%" rx="2" />
    </svg>
  )
}
