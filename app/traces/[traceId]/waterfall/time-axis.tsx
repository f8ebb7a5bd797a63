import { formatDuration } from "#app/ui/format-duration.ts"
import styles from "./waterfall-grid.module.css"

const QUARTERS = [0n, 1n, 2n, 3n, 4n] as const

/** The length of the trace in quarters, over the lines of the timeline. */
export function TimeAxis({ duration }: { duration: bigint }) {
  return (
    <svg className={styles.axis} width="100%" height="100%" aria-hidden="true" focusable="false">
      {QUARTERS.map((quarter) => (
        <text
          key={quarter}
          x={`${quarter * 25n}%`}
          dx={quarter === 4n ? -5 : 5}
          y="50%"
          dominantBaseline="central"
          textAnchor={quarter === 4n ? "end" : "start"}
        >
          {quarter === 0n ? "0" : formatDuration((duration * quarter) / 4n)}
        </text>
      ))}
    </svg>
  )
}
