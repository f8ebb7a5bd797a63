/* oxlint-disable jsx-a11y/prefer-tag-over-role -- HTML has no tree grid, and rows that are placed freely lose the roles of a table */
import type { VitalMark } from "#otel/inspector/queries/trace/trace-marks.ts"
import type { TimeWindow } from "../_state/time-window.ts"
import { TimeAxis } from "./time-axis.tsx"
import type { Collapse } from "./use-collapse.ts"
import { VitalLabels } from "./vital-labels.tsx"
import styles from "./waterfall-grid.module.css"

interface GridHeadProps {
  readonly collapse: Collapse
  readonly window: TimeWindow
  readonly vitals: readonly VitalMark[]
  readonly onOpen: (spanId: string) => void
}

/** Column heads of the waterfall, and what acts on all of it. */
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
