"use client"

import styles from "./trace-place.module.css"

/** In hundredths of the time that is drawn. */
export interface Place {
  readonly from: number
  readonly to: number
  /** Of the error. */
  readonly moment: number | undefined
}

/** A span's time within that of all of them, and the moment of the error. The lengths are told as text beside it. */
export function PlaceBar({ from, to, moment }: Place) {
  return (
    <svg className={styles.bar} aria-hidden="true" focusable="false">
      <rect width="100%" height="100%" className={styles.track} />
      <rect x={`${from}%`} width={`${Math.max(0.5, to - from)}%`} height="100%" className={styles.fill} />
      {moment !== undefined && <line x1={`${moment}%`} x2={`${moment}%`} y1="0" y2="100%" className={styles.moment} />}
    </svg>
  )
}
