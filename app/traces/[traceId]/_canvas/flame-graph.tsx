"use client"

/* oxlint-disable jsx-a11y/prefer-tag-over-role -- a canvas cannot be an `img` element */
import { type KeyboardEvent, type PointerEvent, useEffect, useMemo, useRef, useState } from "react"
import { countOf } from "#app/_ui/format/quantity.ts"
import { shownName } from "#app/_ui/format/text.ts"
import { formatDuration } from "#app/_ui/format/time.ts"
import { flameLanes } from "#otel/inspector/queries/trace/flame-lanes.ts"
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
  const lanes = useMemo(() => flameLanes(table), [table])
  const [scrolled, setScrolled] = useState(0)
  const [hovered, setHovered] = useState(-1)
  const selectedRow = selected === undefined ? -1 : table.indexOf(selected)
  const scene: FlameScene = { table, lanes, window, scrolled, selected: selectedRow, found, pieces: state.pieces }
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
    const row = neighbour(table, selectedRow, event.key)
    if (row === undefined) return
    event.preventDefault()
    open(table.spanId(row))
    scroller.current?.scrollTo({ top: Math.max(0, ((lanes.lane[row] ?? 0) - 4) * LANE_HEIGHT) })
  }
  const shown = hovered === -1 ? selectedRow : hovered
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
            if (drag.end(event) < CLICK_PIXELS && row !== -1) open(table.spanId(row))
          }}
          onPointerLeave={() => setHovered(-1)}
        />
      </div>
      <output className={styles.status} aria-live={hovered === -1 ? "polite" : "off"}>
        {shown === -1 ? "Hover over a span" : spanText(table, shown)}
        {lanes.crowded > 0 && ` · ${countOf(lanes.crowded, "span")} overlap in the last lane`}
      </output>
    </div>
  )
}

/** Gives the scroller its height. */
function Room({ lanes }: { lanes: number }) {
  return <div className={styles.room} style={{ height: lanes * LANE_HEIGHT }} aria-hidden="true" />
}

function spanText(table: WaterfallTable, row: number): string {
  const duration = formatDuration(BigInt(Math.round(table.duration[row] ?? 0)))
  return `${shownName(table.name(row))} · ${shownName(table.service(row))} · ${table.kind(row)} · ${duration}`
}

function neighbour(table: WaterfallTable, row: number, key: string): number | undefined {
  if (row === -1) return key.startsWith("Arrow") && table.length > 0 ? 0 : undefined
  const parent = table.parent[row] ?? -1
  if (key === "ArrowUp") return parent === -1 ? undefined : parent
  if (key === "ArrowDown") return table.childCount[row] ? row + 1 : undefined
  if (key === "ArrowRight") {
    const next = row + (table.descendantCount[row] ?? 0) + 1
    return table.parent[next] === parent && next < table.length ? next : undefined
  }
  return key === "ArrowLeft" ? siblingBefore(table, row, parent) : undefined
}

function siblingBefore(table: WaterfallTable, row: number, parent: number): number | undefined {
  let before = row - 1
  while (before > parent && table.parent[before] !== parent) before = table.parent[before] ?? -1
  return before > parent ? before : undefined
}

function usePan(window: TimeWindow, duration: number, width: number, change: (window: TimeWindow) => void) {
  const from = useRef<{ readonly x: number; readonly window: TimeWindow }>(undefined)
  return {
    begin: (event: PointerEvent) => {
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
    /** Distance of the drag in pixels. */
    end: (event: PointerEvent): number => {
      const far = from.current === undefined ? 0 : Math.abs(event.clientX - from.current.x)
      from.current = undefined
      return far
    },
  }
}
