"use client"

/* oxlint-disable jsx-a11y/prefer-tag-over-role -- a canvas cannot be an `img` element */
import { type KeyboardEvent, type PointerEvent, useEffect, useMemo, useRef, useState } from "react"
import { countOf, formatCount } from "#app/_ui/format/quantity.ts"
import { shownName } from "#app/_ui/format/text.ts"
import { formatDuration } from "#app/_ui/format/time.ts"
import { flameLanes } from "#otel/inspector/queries/trace/flame-lanes.ts"
import { foldedTimes, foldExtent } from "#otel/inspector/queries/trace/folds.ts"
import type { WaterfallTable } from "#otel/inspector/queries/trace/waterfall-table.ts"
import { panned, type TimeWindow } from "../_state/time-window.ts"
import type { TraceState } from "../_state/use-trace.ts"
import { TimeAxis } from "../_waterfall/time-axis.tsx"
import { drawFlame, type FlameScene, LANE_HEIGHT, rowUnder } from "./draw-flame.ts"
import styles from "./flame-graph.module.css"
import type { Palette } from "./use-palette.ts"
import { useSize } from "./use-size.ts"
import { useTimelineWheel } from "./use-timeline-wheel.ts"

interface FlameGraphProps {
  readonly state: TraceState
  readonly palette: Palette | undefined
}

/** A shorter drag is a click. */
const CLICK_PIXELS = 4

/** All spans below their parents, on one canvas. The tree is the accessible version. */
export function FlameGraph({ state, palette }: FlameGraphProps) {
  const { table, window, onWindow, open, found, duration } = state
  const selected = state.address.span
  const scroller = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const size = useSize(scroller)
  const [scrolled, setScrolled] = useState(0)
  const [hovered, setHovered] = useState(-1)
  const selectedRow = selected === undefined ? -1 : table.indexOf(selected)
  const scene: FlameScene = { ...useFolded(state), table, window, scrolled, selected: selectedRow, found }
  const { lanes } = scene
  useTimelineWheel(scroller, window, duration, onWindow)
  useEffect(() => {
    if (canvas.current !== null && palette !== undefined && size.width > 0)
      drawFlame(canvas.current, scene, palette, size)
  })
  const drag = usePan(window, duration, size.width, onWindow)

  const rowAt = (event: PointerEvent) => {
    const box = canvas.current?.getBoundingClientRect()
    return box === undefined ? -1 : rowUnder(scene, event.clientX - box.left, event.clientY - box.top, size.width)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return
    const row = neighbour(table, state.tree.collapse.hidden, selectedRow, event.key)
    if (row === undefined) return
    event.preventDefault()
    open(table.spanId(row))
    scroller.current?.scrollTo({ top: Math.max(0, ((lanes.lane[row] ?? 0) - 4) * LANE_HEIGHT) })
  }
  return (
    <div className={styles.flame}>
      <div className={styles.head}>
        <TimeAxis window={window} />
      </div>
      <div ref={scroller} className={styles.scroller} onScroll={(event) => setScrolled(event.currentTarget.scrollTop)}>
        {size.width > 0 && <Room lanes={lanes.count} />}
        <canvas
          ref={canvas}
          className={styles.canvas}
          role="img"
          tabIndex={0}
          aria-label={`Flame graph of ${countOf(table.length, "span")}. Arrow keys select parent, first child and siblings. The tree view has the same spans.`}
          onKeyDown={onKeyDown}
          onPointerDown={drag.begin}
          onPointerMove={(event) => (drag.move(event) ? undefined : setHovered(rowAt(event)))}
          onPointerUp={(event) => {
            const row = rowAt(event)
            if (drag.end(event) && row !== -1) open(table.spanId(row))
          }}
          onPointerCancel={drag.cancel}
          onPointerLeave={() => setHovered(-1)}
        />
      </div>
      <output className={styles.status} aria-live={hovered === -1 ? "polite" : "off"}>
        {statusText(scene, hovered === -1 ? selectedRow : hovered)}
      </output>
    </div>
  )
}

/** The lanes, in which a closed fold is one bar. */
function useFolded({
  table,
  tree,
  pieces,
}: TraceState): Pick<FlameScene, "lanes" | "times" | "folds" | "closed" | "pieces"> {
  const { folds, closed, hidden } = tree.collapse
  const times = useMemo(() => foldedTimes(table, closed), [table, closed])
  const lanes = useMemo(() => flameLanes(times, hidden), [times, hidden])
  return { lanes, times, folds, closed, pieces }
}

/** Gives the scroller its height. */
function Room({ lanes }: { lanes: number }) {
  return <div className={styles.room} style={{ height: lanes * LANE_HEIGHT }} aria-hidden="true" />
}

function statusText({ table, lanes, closed }: FlameScene, row: number): string {
  const crowded = lanes.crowded > 0 ? ` · ${countOf(lanes.crowded, "span")} overlap in the last lane` : ""
  return (row === -1 ? "Hover over a span" : spanText(table, row, closed.get(row))) + crowded
}

function spanText(table: WaterfallTable, row: number, fold: readonly number[] | undefined): string {
  const { total } = foldExtent(table, fold ?? [row])
  const name = `${fold === undefined ? "" : `${formatCount(fold.length)} × `}${shownName(table.name(row))}`
  return `${name} · ${shownName(table.service(row))} · ${table.kind(row)} · ${formatDuration(BigInt(Math.round(total)))}`
}

/** The row that an arrow key leads to. Rows that a fold hides are skipped. */
function neighbour(table: WaterfallTable, hidden: Uint8Array, row: number, key: string): number | undefined {
  if (row === -1) return key.startsWith("Arrow") && table.length > 0 ? 0 : undefined
  const parent = table.parent[row] ?? -1
  if (key === "ArrowUp") return parent === -1 ? undefined : parent
  if (key === "ArrowDown") return table.childCount[row] && hidden[row + 1] !== 1 ? row + 1 : undefined
  if (key === "ArrowRight") {
    let next = row
    do next += (table.descendantCount[next] ?? 0) + 1
    while (next < table.length && hidden[next] === 1 && table.parent[next] === parent)
    return table.parent[next] === parent && next < table.length ? next : undefined
  }
  return key === "ArrowLeft" ? siblingBefore(table, hidden, row, parent) : undefined
}

function siblingBefore(table: WaterfallTable, hidden: Uint8Array, row: number, parent: number): number | undefined {
  let before = row - 1
  while (before > parent && (table.parent[before] !== parent || hidden[before] === 1)) before--
  return before > parent ? before : undefined
}

function usePan(window: TimeWindow, duration: number, width: number, change: (window: TimeWindow) => void) {
  const from = useRef<{ readonly x: number; readonly window: TimeWindow }>(undefined)
  return {
    begin: (event: PointerEvent) => {
      if (event.button !== 0) return
      from.current = { x: event.clientX, window }
      event.currentTarget.setPointerCapture(event.pointerId)
    },
    /** Returns true during a drag. */
    move: (event: PointerEvent): boolean => {
      const begun = from.current
      if (begun === undefined) return false
      if (Math.abs(event.clientX - begun.x) >= CLICK_PIXELS && width > 0)
        change(panned(begun.window, (begun.x - event.clientX) / width, duration))
      return true
    },
    /** Returns true for a click. */
    end: (event: PointerEvent): boolean => {
      const begun = from.current
      from.current = undefined
      return begun !== undefined && Math.abs(event.clientX - begun.x) < CLICK_PIXELS
    },
    cancel: () => {
      from.current = undefined
    },
  }
}
