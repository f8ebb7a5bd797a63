"use client"

/* oxlint-disable jsx-a11y/prefer-tag-over-role -- HTML has no tree grid, and rows that are placed freely lose the roles of a table */
/* oxlint-disable jsx-a11y/click-events-have-key-events -- the keys that do the same are in ./tree-keys.ts */
import { type RefObject, useEffect, useMemo, useRef } from "react"
import { serviceColours } from "#app/_ui/format/service-colours.ts"
import type { PathPiece } from "#otel/inspector/queries/trace/critical-path.ts"
import type { VitalMark } from "#otel/inspector/queries/trace/trace-marks.ts"
import type { TraceState } from "../_state/use-trace.ts"
import { Divider } from "./grid-head.tsx"
import { GridHead } from "./grid-head.tsx"
import { TimeLines } from "./time-lines.tsx"
import { useHydrated } from "./use-hydrated.ts"
import { useTimelineWheel } from "../_canvas/use-timeline-wheel.ts"
import type { Tree } from "./use-tree.ts"
import styles from "./waterfall-grid.module.css"
import { WaterfallRow } from "./waterfall-row.tsx"

interface WaterfallGridProps {
  readonly state: TraceState
  readonly vitals: readonly VitalMark[]
}

/** All spans of the trace on one time axis, as a tree grid. Only the rows in sight are in the document. */
export function WaterfallGrid({ state, vitals }: WaterfallGridProps) {
  const { table, tree, address, window, onWindow, duration, errorsAt, pieces, found, open } = state
  const path = useMemo(() => piecesByRow(pieces), [pieces])
  const colours = useMemo(() => serviceColours(table.services), [table.services])
  const { scroller, virtual, collapse, active, onKeyDown, onClick } = tree
  const hydrated = useHydrated()
  const whole = useRef<HTMLDivElement>(null)
  useScrollbarWidth(scroller, whole)
  useTimelineWheel(scroller, window, duration, onWindow)
  return (
    <div ref={whole} className={styles.waterfall}>
      <div
        ref={scroller}
        role="treegrid"
        tabIndex={-1}
        aria-label="Spans"
        aria-rowcount={collapse.rows.length + table.whole - table.length + 1}
        aria-colcount={2}
        className={styles.grid}
        onKeyDown={onKeyDown}
        onClick={onClick}
      >
        <GridHead collapse={collapse} window={window} vitals={vitals} onOpen={open} />
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
                selected={table.spanId(row) === address.span}
                active={row === active}
                found={found.has(row)}
                window={window}
                errorsAt={errorsAt.get(row)}
                path={path.get(row)}
              />
            )
          })}
        </div>
        {collapse.rows.length === 0 && <p className={styles.none}>No span fits the search.</p>}
      </div>
      <TimeLines window={window} vitals={vitals} />
      <Divider grid={whole} />
    </div>
  )
}

/** The lines over the timeline must end where it does: a scroll bar takes room from the one and not from the other. */
function useScrollbarWidth(scroller: Tree["scroller"], whole: RefObject<HTMLDivElement | null>): void {
  useEffect(() => {
    const element = scroller.current
    if (element === null) return undefined
    const observer = new ResizeObserver(() =>
      whole.current?.style.setProperty("--scrollbar", `${element.offsetWidth - element.clientWidth}px`),
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [scroller, whole])
}

function piecesByRow(pieces: readonly PathPiece[] | undefined): ReadonlyMap<number, readonly PathPiece[]> {
  const byRow = new Map<number, PathPiece[]>()
  for (const piece of pieces ?? []) {
    const known = byRow.get(piece.row)
    if (known === undefined) byRow.set(piece.row, [piece])
    else known.push(piece)
  }
  return byRow
}
