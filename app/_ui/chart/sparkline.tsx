"use client"

import styles from "./sparkline.module.css"

const WIDTH = 96
const HEIGHT = 20
/** Least height of a bar above zero, so that it stays visible. */
const LEAST = 1.5
const NONE: readonly number[] = []

interface SparklineProps {
  /** One value per interval, oldest first. */
  readonly values: readonly number[]
  /** How many of them failed; drawn at the bottom of each bar. */
  readonly failed?: readonly number[]
  /** The same as text. */
  readonly label: string
}

/** A trend over time as bars without axes. Rendered on the server, so that long lists need no script. */
export function Sparkline({ values, failed = NONE, label }: SparklineProps) {
  const tallest = Math.max(1, ...values)
  const step = WIDTH / Math.max(1, values.length)
  const barsOf = (counts: readonly number[]) =>
    counts.map((value, index) => {
      if (value <= 0) return ""
      const height = Math.max(LEAST, (value / tallest) * HEIGHT)
      return `M${round(index * step)} ${HEIGHT}v${-round(height)}h${round(Math.max(0.5, step - 0.75))}v${round(height)}z`
    })
  return (
    <svg className={styles.sparkline} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width={WIDTH} height={HEIGHT} role="img">
      <title>{label}</title>
      <path className={styles.ground} d={`M0 ${HEIGHT - 0.5}h${WIDTH}`} />
      <path d={barsOf(values).join("")} />
      <path className={styles.failed} d={barsOf(failed).join("")} />
    </svg>
  )
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
