"use client"

import { type KeyboardEvent, type PointerEvent, type RefObject, useState } from "react"
import type { VitalMark } from "#otel/inspector/queries/trace/trace-marks.ts"
import type { TimeWindow } from "../_state/time-window.ts"
import { TimeAxis } from "./time-axis.tsx"
import { VitalLabels } from "./time-lines.tsx"
import type { Collapse } from "./use-collapse.ts"
import styles from "./waterfall-grid.module.css"

/* oxlint-disable jsx-a11y/prefer-tag-over-role -- HTML has no tree grid, and rows that are placed freely lose the roles of a table */

interface GridHeadProps {
  readonly collapse: Collapse
  readonly window: TimeWindow
  readonly vitals: readonly VitalMark[]
  readonly onOpen: (spanId: string) => void
}

/** Column headers of the waterfall, with actions for all rows. */
export function GridHead({ collapse, window, vitals, onOpen }: GridHeadProps) {
  return (
    <div role="rowgroup" className={styles.head} data-vitals={vitals.length > 0}>
      <div role="row" aria-rowindex={1} className={styles.columns}>
        <div role="columnheader" className={styles.first}>
          Span
          <button type="button" onClick={collapse.collapseAll}>
            Collapse all
          </button>
          <button type="button" onClick={collapse.expandAll}>
            Expand all
          </button>
        </div>
        <div role="columnheader" aria-label="Timeline" className={styles.timeline}>
          <TimeAxis window={window} />
          {vitals.length > 0 && <VitalLabels window={window} vitals={vitals} onOpen={onOpen} />}
        </div>
      </div>
    </div>
  )
}

/* oxlint-disable jsx-a11y/prefer-tag-over-role -- a focusable separator is a widget, which `hr` is not */

/** Width of the name column, in percent. */
const LEAST = 15
const MOST = 75
const FIRST = 38
const STEP = 2

/** Resizes the name column by dragging or with arrow keys. */
export function Divider({ grid }: { grid: RefObject<HTMLDivElement | null> }) {
  const [share, setShare] = useState(FIRST)
  const move = (next: number) => {
    const bounded = Math.min(MOST, Math.max(LEAST, next))
    setShare(bounded)
    // A custom property on the grid: rows inherit it without rendering again.
    grid.current?.style.setProperty("--names", `${bounded}%`)
  }
  const drag = (event: PointerEvent) => {
    const box = grid.current?.getBoundingClientRect()
    if (box === undefined || !event.currentTarget.hasPointerCapture(event.pointerId)) return
    move(((event.clientX - box.left) / box.width) * 100)
  }
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key === "ArrowLeft") move(share - STEP)
    if (key === "ArrowRight") move(share + STEP)
  }
  return (
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the name column"
      aria-valuenow={Math.round(share)}
      aria-valuemin={LEAST}
      aria-valuemax={MOST}
      tabIndex={0}
      className={styles.divider}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
    />
  )
}
