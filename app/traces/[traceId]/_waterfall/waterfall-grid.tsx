"use client"

/* oxlint-disable jsx-a11y/prefer-tag-over-role -- HTML has no tree grid, and absolutely positioned rows lose their table roles */
/* oxlint-disable jsx-a11y/click-events-have-key-events -- ./tree-keys.ts handles the keys */
import { type RefObject, useEffect, useMemo, useRef } from "react"
import { formatCount } from "#app/_ui/format/quantity.ts"
import { serviceColours } from "#app/_ui/format/service-colours.ts"
import type { PathPiece } from "#otel/inspector/queries/trace/critical-path.ts"
import type { ClosedFolds, Folds } from "#otel/inspector/queries/trace/folds.ts"
import type { VitalMark } from "#otel/inspector/queries/trace/trace-marks.ts"
import { useTimelineWheel } from "../_canvas/use-timeline-wheel.ts"
import type { TraceState } from "../_state/use-trace.ts"
import { Divider, GridHead } from "./grid-head.tsx"
import { TimeLines } from "./time-lines.tsx"
import { useHydrated } from "./use-hydrated.ts"
import { PRINT_LIMIT, usePrinting, useRowWindow } from "./use-row-window.ts"
import type { Tree } from "./use-tree.ts"
import styles from "./waterfall-grid.module.css"
import { WaterfallRow } from "./waterfall-row.tsx"

interface WaterfallGridProps {
  readonly state: TraceState
  readonly vitals: readonly VitalMark[]
}

/** All spans on one time axis, as a tree grid. Only visible rows are in the document. */
export function WaterfallGrid({ state, vitals }: WaterfallGridProps) {
  const { table, tree, window, onWindow, duration, open } = state
  const { scroller, collapse, onKeyDown, onClick } = tree
  const isPrinting = usePrinting()
  // On paper and before hydration, rows are in normal flow.
  const isPlaced = useHydrated() && !isPrinting
  const grid = useRef<HTMLDivElement>(null)
  useScrollbarWidth(scroller, grid)
  useTimelineWheel(scroller, window, duration, onWindow)
  return (
    <div ref={grid} className={styles.waterfall}>
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
        <Rows state={state} isPlaced={isPlaced} isPrinting={isPrinting} />
        <RowsNote count={collapse.rows.length} isPrinting={isPrinting} />
      </div>
      <TimeLines window={window} vitals={vitals} />
      <Divider grid={grid} />
    </div>
  )
}

interface RowsProps {
  readonly state: TraceState
  readonly isPlaced: boolean
  /** Whether all rows up to `PRINT_LIMIT` are in the document, one below the other. */
  readonly isPrinting: boolean
}

/** The part of the grid that renders when it scrolls. */
function Rows({ state, isPlaced, isPrinting }: RowsProps) {
  const { table, tree, address, window, errorsAt, logTicks, pieces, found } = state
  const { scroll, collapse, active, activePlace } = tree
  const { rows, folds, opened, closed, collapsed } = collapse
  const path = useMemo(() => piecesByRow(pieces, folds, closed), [pieces, folds, closed])
  const colours = useMemo(() => serviceColours(table.services), [table.services])
  const shown = useRowWindow(scroll, rows.length, activePlace)
  const places = isPrinting
    ? Array.from({ length: Math.min(rows.length, PRINT_LIMIT) }, (_, place) => place)
    : shown.places
  return (
    <div
      role="rowgroup"
      className={styles.body}
      style={isPlaced ? { height: shown.heightPx } : undefined}
      data-placed={isPlaced}
    >
      <div
        role="presentation"
        className={styles.layer}
        style={isPlaced ? { transform: `translateY(${shown.layerTop}px)` } : undefined}
      >
        {places.map((place) => {
          const row = rows[place] ?? 0
          return (
            <WaterfallRow
              key={row}
              {...{ table, row, window }}
              place={place}
              top={isPlaced ? shown.topInLayer(place) : undefined}
              colour={colours.get(table.service(row))}
              collapsed={collapsed.has(row)}
              fold={folds.members.get(row)}
              unfolded={opened.has(row)}
              selected={table.spanId(row) === address.span}
              active={row === active}
              found={found?.[row] === 1}
              errorsAt={errorsAt.get(row)}
              logTicks={logTicks.get(row)}
              path={path.get(row)}
            />
          )
        })}
      </div>
    </div>
  )
}

function RowsNote({ count, isPrinting }: { count: number; isPrinting: boolean }) {
  if (count === 0) return <p className={styles.none}>No span matches the search.</p>
  if (!isPrinting || count <= PRINT_LIMIT) return null
  return (
    <p className={styles.none}>
      Printed: the first {formatCount(PRINT_LIMIT)} of {formatCount(count)} rows.
    </p>
  )
}

/** Sets the width of the scroll bar as a custom property, so that the time lines align with the timeline. */
function useScrollbarWidth(scroller: Tree["scroller"], grid: RefObject<HTMLDivElement | null>): void {
  useEffect(() => {
    const element = scroller.current
    if (element === null) return undefined
    const observer = new ResizeObserver(() =>
      grid.current?.style.setProperty("--scrollbar", `${element.offsetWidth - element.clientWidth}px`),
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [scroller, grid])
}

/** Pieces of a closed fold are on its one row. */
function piecesByRow(
  pieces: readonly PathPiece[] | undefined,
  folds: Folds,
  closed: ClosedFolds,
): ReadonlyMap<number, readonly PathPiece[]> {
  const byRow = new Map<number, PathPiece[]>()
  for (const piece of pieces ?? []) {
    const first = folds.first[piece.row] ?? -1
    const row = closed.has(first) ? first : piece.row
    const known = byRow.get(row)
    if (known === undefined) byRow.set(row, [piece])
    else known.push(piece)
  }
  return byRow
}
