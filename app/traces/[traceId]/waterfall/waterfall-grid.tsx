"use client"

/* oxlint-disable jsx-a11y/prefer-tag-over-role -- HTML has no tree grid, and rows that are placed freely lose the roles of a table */
import { useMemo, useRef } from "react"
import type { WaterfallTable } from "#otel/query/waterfall-table.ts"
import { serviceColours } from "#app/ui/service-colours.ts"
import { Divider } from "./divider.tsx"
import { GridHead } from "./grid-head.tsx"
import { useHydrated } from "./use-hydrated.ts"
import { useTree } from "./use-tree.ts"
import styles from "./waterfall-grid.module.css"
import { WaterfallRow } from "./waterfall-row.tsx"

interface WaterfallGridProps {
  readonly table: WaterfallTable
  readonly services: readonly string[]
  /** Id of the opened span. */
  readonly selected: string | undefined
  readonly onOpen: (spanId: string | undefined) => void
}

/** All spans of the trace on one time axis, as a tree grid. Only the rows in sight are in the document. */
export function WaterfallGrid({ table, services, selected, onOpen }: WaterfallGridProps) {
  const colours = useMemo(() => serviceColours(services), [services])
  const { scroller, virtual, collapse, active, onKeyDown, onClick } = useTree(table, selected, onOpen)
  const hydrated = useHydrated()
  const whole = useRef<HTMLDivElement>(null)
  return (
    <div ref={whole} className={styles.waterfall}>
      <div
        ref={scroller}
        role="treegrid"
        tabIndex={-1}
        aria-label="Spans"
        aria-rowcount={collapse.rows.length + 1}
        aria-colcount={2}
        className={styles.grid}
        onKeyDown={onKeyDown}
        onClick={onClick}
      >
        <GridHead table={table} collapse={collapse} active={active} onOpen={onOpen} />
        <div
          role="rowgroup"
          className={styles.body}
          style={hydrated ? { height: virtual.getTotalSize() } : undefined}
          data-placed={hydrated}
        >
          {virtual.getVirtualItems().map(({ index, start }) => {
            const row = collapse.rows[index] ?? 0
            return (
              <WaterfallRow
                key={row}
                table={table}
                row={row}
                place={index}
                top={hydrated ? start : undefined}
                colour={colours.get(table.service(row))}
                collapsed={collapse.collapsed.has(row)}
                selected={table.spanId(row) === selected}
                active={row === active}
              />
            )
          })}
        </div>
      </div>
      <Divider grid={whole} />
    </div>
  )
}
