/* oxlint-disable jsx-a11y/prefer-tag-over-role -- HTML has no tree grid, and rows that are placed freely lose the roles of a table */
import { useMemo } from "react"
import { markedRows, type WaterfallTable } from "#otel/query/waterfall-table.ts"
import { MARK } from "#otel/query/waterfall-json.ts"
import { TimeAxis } from "./time-axis.tsx"
import type { Collapse } from "./use-collapse.ts"
import styles from "./waterfall-grid.module.css"

interface GridHeadProps {
  readonly table: WaterfallTable
  readonly collapse: Collapse
  /** The row that has the keyboard. */
  readonly active: number
  readonly onOpen: (spanId: string) => void
}

/** Column heads of the waterfall, and what acts on all of it. */
export function GridHead({ table, collapse, active, onOpen }: GridHeadProps) {
  const errors = useMemo(() => markedRows(table, MARK.error), [table])
  const openNextError = () => {
    const row = errors.find((error) => error > active) ?? errors[0]
    if (row !== undefined) onOpen(table.spanId(row))
  }
  return (
    <div role="rowgroup" className={styles.head}>
      <div role="row" aria-rowindex={1} className={styles.columns}>
        <div role="columnheader" className={styles.first}>
          Span
          <button type="button" onClick={collapse.collapseAll}>
            Collapse all
          </button>
          <button type="button" onClick={collapse.expandAll}>
            Expand all
          </button>
          {errors.length > 0 && (
            <button type="button" onClick={openNextError}>
              Next error
            </button>
          )}
        </div>
        <div role="columnheader" aria-label="Timeline" className={styles.timeline}>
          <TimeAxis duration={table.traceDuration} />
        </div>
      </div>
    </div>
  )
}
