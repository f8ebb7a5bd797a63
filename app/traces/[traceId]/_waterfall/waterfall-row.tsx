/* oxlint-disable jsx-a11y/prefer-tag-over-role -- HTML has no tree grid, and absolutely positioned rows lose their table roles */
import { memo } from "react"
import { BurstIcon, CaretIcon, ErrorIcon, WarningIcon } from "#app/_ui/format/icons.tsx"
import { formatCount } from "#app/_ui/format/quantity.ts"
import { shownName } from "#app/_ui/format/text.ts"
import type { PathPiece } from "#otel/inspector/queries/trace/critical-path.ts"
import { MARK } from "#otel/inspector/queries/trace/waterfall-columns.ts"
import type { WaterfallTable } from "#otel/inspector/queries/trace/waterfall-table.ts"
import type { LogTick } from "../_logs/use-trace-logs.ts"
import type { TimeWindow } from "../_state/time-window.ts"
import { Indent } from "./indent.tsx"
import { SpanBar } from "./span-bar.tsx"
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
        <SpanTitle {...props} />
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

const SIGNS = [
  { mark: MARK.error, Icon: ErrorIcon, kind: "error", says: "Error" },
  { mark: MARK.exception, Icon: BurstIcon, kind: "error", says: "Exception" },
  { mark: MARK.parentMissing, Icon: WarningIcon, kind: "warning", says: "Parent missing" },
  { mark: MARK.ringCut, Icon: WarningIcon, kind: "warning", says: "Parent link cut" },
  { mark: MARK.skewed, Icon: WarningIcon, kind: "warning", says: "Clock skew: starts before its parent" },
] as const

/** One letter for each kind that names a side of a call. */
const KIND_LETTER: Readonly<Record<string, string>> = { server: "S", client: "C", producer: "P", consumer: "Q" }

/** Name, warnings, kind, and the service if it differs from the parent's. */
function SpanTitle({ table, row, found, errorsAt }: WaterfallRowProps) {
  const name = shownName(table.name(row))
  const service = shownName(table.service(row))
  const kind = table.kind(row)
  const parent = table.parent[row] ?? -1
  const newService = parent === -1 || table.service(parent) !== table.service(row)
  const isError = table.has(row, MARK.error)
  const signs = SIGNS.filter(({ mark }) => table.has(row, mark))
  return (
    <>
      <span className={styles.stripe} aria-hidden="true" />
      {signs.map(({ mark, Icon, kind: sign, says }) => (
        <span key={mark} className={styles[sign]} title={says}>
          <Icon />
          <span className="visually-hidden">{says}: </span>
        </span>
      ))}
      {errorsAt !== undefined && !table.has(row, MARK.exception) && (
        <span className={styles.error} title="Reported error">
          <BurstIcon />
          <span className="visually-hidden">Reported error: </span>
        </span>
      )}
      <a
        href={`?span=${table.spanId(row)}`}
        tabIndex={-1}
        className={styles.name}
        title={`${name} · ${service} · ${kind}`}
        data-error={isError}
      >
        <bdi>{name}</bdi>
      </a>
      {found && <span className="visually-hidden"> (found)</span>}
      {KIND_LETTER[kind] !== undefined && (
        <abbr className={styles.kind} title={`Kind: ${kind}`}>
          {KIND_LETTER[kind]}
        </abbr>
      )}
      {newService && <bdi className={styles.service}>{service}</bdi>}
    </>
  )
}
