"use client"

import styles from "./sparkline.module.css"

const WIDTH = 96
const HEIGHT = 20
/** What happened at all is seen, however small it is beside the tallest. */
const LEAST = 1.5

interface SparklineProps {
  /** One an interval, the earliest first. */
  readonly values: readonly number[]
  /** The same in words: `3 in the last hour, 14 before`. */
  readonly label: string
}

/** A row's course over time: bars without axes, drawn by the server, so that a list of hundreds waits for no script. */
export function Sparkline({ values, label }: SparklineProps) {
  const tallest = Math.max(1, ...values)
  const step = WIDTH / Math.max(1, values.length)
  const bars = values.map((value, index) => {
    if (value <= 0) return ""
    const height = Math.max(LEAST, (value / tallest) * HEIGHT)
    return `M${round(index * step)} ${HEIGHT}v${-round(height)}h${round(Math.max(0.5, step - 0.75))}v${round(height)}z`
  })
  return (
    <svg className={styles.sparkline} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width={WIDTH} height={HEIGHT} role="img">
      <title>{label}</title>
      <path className={styles.ground} d={`M0 ${HEIGHT - 0.5}h${WIDTH}`} />
      <path d={bars.join("")} />
    </svg>
  )
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
