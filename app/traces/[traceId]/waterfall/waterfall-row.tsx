/* oxlint-disable jsx-a11y/prefer-tag-over-role -- HTML has no tree grid, and rows that are placed freely lose the roles of a table */
import { memo } from "react"
import { MARK } from "#otel/query/waterfall-json.ts"
import type { WaterfallTable } from "#otel/query/waterfall-table.ts"
import { formatCount } from "#app/ui/format-count.ts"
import { BurstIcon, CaretIcon, ErrorIcon, WarningIcon } from "#app/ui/icons.tsx"
import { shownName } from "#app/ui/shown-text.ts"
import { Indent } from "./indent.tsx"
import { SpanBar } from "./span-bar.tsx"
import styles from "./waterfall-grid.module.css"

interface WaterfallRowProps {
  readonly table: WaterfallTable
  readonly row: number
  /** Among the rows that are not inside a collapsed one. */
  readonly place: number
  /** Pixels from the first row; `undefined` where rows simply follow one another. */
  readonly top: number | undefined
  readonly colour: number | undefined
  readonly collapsed: boolean
  readonly selected: boolean
  readonly active: boolean
}

export const WaterfallRow = memo(function WaterfallRow(props: WaterfallRowProps) {
  const { table, row, place, top, colour, collapsed, selected, active } = props
  const isParent = (table.childCount[row] ?? 0) > 0
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
    >
      <div role="gridcell" className={styles.first}>
        <Indent depth={table.depth[row] ?? 0} />
        {isParent ? (
          // For the pointer alone: the row itself says whether it is expanded, and its keys change it.
          <span className={styles.caret} aria-hidden="true" data-toggle data-collapsed={collapsed}>
            <CaretIcon />
          </span>
        ) : (
          <span className={styles.caret} />
        )}
        <SpanTitle table={table} row={row} />
        {collapsed && <span className={styles.folded}>+{formatCount(table.descendantCount[row] ?? 0)}</span>}
      </div>
      <div role="gridcell" className={styles.timeline}>
        <SpanBar table={table} row={row} />
      </div>
    </div>
  )
})

const SIGNS = [
  { mark: MARK.error, Icon: ErrorIcon, kind: "error", says: "Error" },
  { mark: MARK.exception, Icon: BurstIcon, kind: "error", says: "Exception" },
  { mark: MARK.parentMissing, Icon: WarningIcon, kind: "warning", says: "Parent missing" },
  { mark: MARK.ringCut, Icon: WarningIcon, kind: "warning", says: "Parent link cut" },
] as const

/** The name, what is wrong with it in words, and the service where it differs from the parent's. */
function SpanTitle({ table, row }: { table: WaterfallTable; row: number }) {
  const name = shownName(table.name(row))
  const service = shownName(table.service(row))
  const parent = table.parent[row] ?? -1
  const newService = parent === -1 || table.service(parent) !== table.service(row)
  const isError = table.has(row, MARK.error)
  return (
    <>
      <span className={styles.stripe} aria-hidden="true" />
      {SIGNS.filter(({ mark }) => table.has(row, mark)).map(({ mark, Icon, kind, says }) => (
        <span key={mark} className={styles[kind]} title={says}>
          <Icon />
          <span className="visually-hidden">{says}: </span>
        </span>
      ))}
      <a
        href={`?span=${table.spanId(row)}`}
        tabIndex={-1}
        className={styles.name}
        title={`${name} · ${service}`}
        data-error={isError}
      >
        <bdi>{name}</bdi>
      </a>
      {newService && <bdi className={styles.service}>{service}</bdi>}
    </>
  )
}
