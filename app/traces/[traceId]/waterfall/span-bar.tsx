import type { WaterfallTable } from "#otel/query/waterfall-table.ts"
import { formatDuration } from "#app/ui/format-duration.ts"
import styles from "./waterfall-grid.module.css"

/** Shares of the axis that leave room for the duration beside the bar: to its right, or else to its left. */
const ROOM_RIGHT = 0.84
const ROOM_LEFT = 0.16

export function SpanBar({ table, row }: { table: WaterfallTable; row: number }) {
  const start = Math.min(1, Math.max(0, table.start[row] ?? 0))
  const end = Math.min(1, start + (table.width[row] ?? 0))
  const duration = formatDuration(table.duration(row))
  return (
    <>
      <svg className={styles.bar} width="100%" height="100%" aria-hidden="true" focusable="false">
        <rect x={percent(start)} width={percent(end - start)} y="25%" height="50%" rx="2" />
        {/* The least that is drawn: a rectangle without width is not. */}
        <line x1={percent(start)} x2={percent(start)} y1="25%" y2="75%" />
        <text y="50%" dominantBaseline="central" {...label(start, end)}>
          {duration}
        </text>
      </svg>
      <span className="visually-hidden">
        {duration}, starting at {formatDuration(table.offset(row))}
      </span>
    </>
  )
}

function label(start: number, end: number) {
  if (end <= ROOM_RIGHT) return { x: percent(end), dx: 6 }
  if (start >= ROOM_LEFT) return { x: percent(start), dx: -6, textAnchor: "end" as const }
  return { x: percent(end), dx: -6, textAnchor: "end" as const, className: styles.within }
}

function percent(share: number): string {
  return `${Math.round(share * 1e6) / 1e4}%`
}
