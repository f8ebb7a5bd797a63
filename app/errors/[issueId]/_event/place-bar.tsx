"use client"

import styles from "./trace-place.module.css"

/** Percent of the time that is drawn. */
export interface Place {
  readonly from: number
  readonly to: number
  /** Time of the error. */
  readonly moment: number | undefined
}

/** Position of a span within the path, and the time of the error. Decorative: the duration is next to it as text. */
export function PlaceBar({ from, to, moment }: Place) {
  return (
    <svg className={styles.bar} aria-hidden="true" focusable="false">
      <rect width="100%" height="100%" className={styles.track} />
      <rect x={`${from}%`} width={`${Math.max(0.5, to - from)}%`} height="100%" className={styles.fill} />
      {moment !== undefined && <line x1={`${moment}%`} x2={`${moment}%`} y1="0" y2="100%" className={styles.moment} />}
    </svg>
  )
}
