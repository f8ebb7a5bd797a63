/* oxlint-disable jsx-a11y/prefer-tag-over-role -- HTML has no tree grid, and absolutely positioned rows lose their table roles */
import { memo } from "react"
import { CaretIcon } from "#app/_ui/format/icons.tsx"
import { formatCount } from "#app/_ui/format/quantity.ts"
import type { PathPiece } from "#otel/inspector/queries/trace/critical-path.ts"
import type { WaterfallTable } from "#otel/inspector/queries/trace/waterfall-table.ts"
import type { LogTick } from "../_logs/use-trace-logs.ts"
import type { TimeWindow } from "../_state/time-window.ts"
import { Indent } from "./indent.tsx"
import { SpanBar } from "./span-bar.tsx"
import { SpanTitle } from "./span-title.tsx"
import styles from "./waterfall-grid.module.css"

interface WaterfallRowProps {
  readonly table: WaterfallTable
  readonly row: number
  /** Index among visible rows. */
  readonly place: number
  /** Offset in pixels; `undefined` before hydration, where rows are in normal flow. */
  readonly top: number | undefined
  readonly colour: number | undefined
  readonly collapsed: boolean
  /** The equal siblings that the row stands for. */
  readonly fold: readonly number[] | undefined
  /** Whether these have rows of their own. */
  readonly unfolded: boolean
  readonly selected: boolean
  readonly active: boolean
  /** Whether it matches the search. */
  readonly found: boolean
  readonly window: TimeWindow
  readonly errorsAt: readonly number[] | undefined
  readonly logTicks: readonly LogTick[] | undefined
  readonly path: readonly PathPiece[] | undefined
}

export const WaterfallRow = memo(function WaterfallRow(props: WaterfallRowProps) {
  const { table, row, place, top, colour, fold, unfolded, selected, active, found } = props
  const isFolded = fold !== undefined && !unfolded
  const isParent = isFolded || (table.childCount[row] ?? 0) > 0
  const collapsed = isFolded || props.collapsed
  return (
    <div
      role="row"
      tabIndex={active ? 0 : -1}
      aria-rowindex={place + 2}
      aria-level={(table.depth[row] ?? 0) + 1}
      aria-posinset={table.placeInSet[row]}
      aria-setsize={table.setSize[row]}
      aria-expanded={isParent ? !collapsed : undefined}
      aria-selected={selected}
      className={styles.row}
      style={top === undefined ? undefined : { transform: `translateY(${top}px)` }}
      data-row={row}
      data-service={colour}
      data-found={found}
    >
      <div role="gridcell" className={styles.first}>
        <Indent depth={table.depth[row] ?? 0} />
        {isParent ? (
          // For the pointer only: the row has `aria-expanded` and handles the keys.
          <span className={styles.caret} aria-hidden="true" data-toggle data-collapsed={collapsed}>
            <CaretIcon />
          </span>
        ) : (
          <span className={styles.caret} />
        )}
        {fold !== undefined && <FoldCount count={fold.length} unfolded={unfolded} />}
        <SpanTitle table={table} row={row} found={found} errorsAt={props.errorsAt} />
        {collapsed && !isFolded && (
          <span className={styles.folded}>+{formatCount(table.descendantCount[row] ?? 0)}</span>
        )}
      </div>
      <div role="gridcell" className={styles.timeline}>
        <SpanBar
          table={table}
          row={row}
          fold={isFolded ? fold : undefined}
          window={props.window}
          errorsAt={props.errorsAt}
          logTicks={props.logTicks}
          path={props.path}
        />
      </div>
    </div>
  )
})

/** How many equal siblings the row stands for. For the pointer a switch: the arrow keys open and close the fold. */
function FoldCount({ count, unfolded }: { count: number; unfolded: boolean }) {
  const title = unfolded ? "The first of equal siblings. Click to fold them" : "Equal siblings. Click to unfold them"
  return (
    <span className={styles.fold} title={title} data-fold data-unfolded={unfolded}>
      ×{formatCount(count)}
      <span className="visually-hidden">{unfolded ? " equal spans, unfolded: " : " equal spans, folded: "}</span>
    </span>
  )
}
