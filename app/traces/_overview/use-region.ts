"use client"

import { type KeyboardEvent, type PointerEvent, useRef, useState } from "react"
import type { Cell, HeatmapPlot, Region } from "./heatmap-data.ts"

/** Shorter drags are clicks. In pixels. */
const DRAG_AT_LEAST = 4

interface Drag {
  readonly from: Cell
  readonly x: number
  readonly y: number
}

/**
 * Selects a region by a drag, or by keyboard: arrow keys move between cells, Shift extends the region, Home, End, Page Up and
 * Page Down jump to the ends, Enter applies the region and Escape clears it.
 */
export function useRegion(plot: HeatmapPlot, onSelect: (region: Region) => void) {
  const [region, setRegion] = useState<Region>()
  const [pointed, setPointed] = useState<Cell>()
  const drag = useRef<Drag>(undefined)

  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0) return
    event.currentTarget.setPointerCapture(event.pointerId)
    drag.current = { from: cellAt(event, plot), x: event.clientX, y: event.clientY }
  }
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    const cell = cellAt(event, plot)
    setPointed((before) => (before !== undefined && isSame(before, cell) ? before : cell))
    if (drag.current !== undefined && isDrag(drag.current, event)) setRegion({ first: drag.current.from, last: cell })
  }
  const onPointerUp = (event: PointerEvent<HTMLElement>) => {
    const started = drag.current
    drag.current = undefined
    setRegion(undefined)
    if (started !== undefined && isDrag(started, event)) onSelect({ first: started.from, last: cellAt(event, plot) })
  }
  const clear = () => {
    drag.current = undefined
    setRegion(undefined)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    const last = moved(event.key, region?.last, plot)
    if (last !== undefined) setRegion({ first: event.shiftKey && region !== undefined ? region.first : last, last })
    else if (event.key === "Escape" && region !== undefined) clear()
    else if (event.key === "Enter" && region !== undefined) onSelect(region)
    else return
    event.preventDefault()
  }
  return {
    region,
    /** The cell under the pointer or the keyboard. */
    active: region?.last ?? pointed,
    handlers: {
      onPointerDown,
      onPointerMove,
      onPointerUp,
      onPointerCancel: clear,
      onPointerLeave: () => setPointed(undefined),
      onKeyDown,
      onBlur: clear,
    },
  }
}

function cellAt({ clientX, clientY, currentTarget }: PointerEvent<HTMLElement>, { steps, rows }: HeatmapPlot): Cell {
  const { left, top, width, height } = currentTarget.getBoundingClientRect()
  return {
    step: within((clientX - left) / width, steps),
    row: rows - 1 - within((clientY - top) / height, rows),
  }
}

function within(share: number, count: number): number {
  return Math.min(count - 1, Math.max(0, Math.floor(share * count)))
}

function isDrag({ x, y }: Drag, { clientX, clientY }: PointerEvent): boolean {
  return Math.abs(clientX - x) >= DRAG_AT_LEAST || Math.abs(clientY - y) >= DRAG_AT_LEAST
}

function isSame(a: Cell, b: Cell): boolean {
  return a.step === b.step && a.row === b.row
}

function moved(key: string, from: Cell | undefined, { steps, rows }: HeatmapPlot): Cell | undefined {
  const move = MOVES[key]
  if (move === undefined) return undefined
  // The first key selects the newest step and the lowest row.
  const { step, row } = from ?? { step: steps - 1, row: 0 }
  const [bySteps, byRows] = from === undefined && move.every(Number.isFinite) ? [0, 0] : move
  return {
    step: Math.min(steps - 1, Math.max(0, step + bySteps)),
    row: Math.min(rows - 1, Math.max(0, row + byRows)),
  }
}

/** Steps and rows that a key moves by. */
const MOVES: Readonly<Record<string, readonly [steps: number, rows: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
  Home: [Number.NEGATIVE_INFINITY, 0],
  End: [Number.POSITIVE_INFINITY, 0],
  PageUp: [0, Number.POSITIVE_INFINITY],
  PageDown: [0, Number.NEGATIVE_INFINITY],
}
