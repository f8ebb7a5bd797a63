"use client"

import { useKeyHints } from "#app/ui/use-key-hints.ts"
import { panned, zoomed } from "./time-window.ts"
import { TRACE_KEYS, TREE_KEYS, useScreenKeys } from "./use-screen-keys.ts"
import type { TraceState } from "./use-trace.ts"

const CLOSER = 0.5
const FURTHER = 2
/** Of what is shown. */
const STEP = 0.25
/** Left and right of a span that is zoomed to, of its length. */
const MARGIN = 0.05

export interface TraceActs {
  /** To the next or previous span that is found. */
  readonly toFound: (way: 1 | -1) => void
  readonly toError: (way: 1 | -1) => void
  /** Below 1 looks closer. */
  readonly look: (factor: number) => void
  /** To the opened span, else to the one that has the keyboard. */
  readonly zoomToSpan: () => void
}

/** What keys and buttons do to the screen. */
export function useTraceActs(state: TraceState): TraceActs {
  const { address, change, open, table, tree, window, duration, onWindow } = state
  const selected = address.span
  /** Goes on from the active row, around the end, and opens the span where one is open already. */
  const step = (rows: readonly number[] | undefined, way: 1 | -1) => {
    const row = nextOf(rows ?? [], tree.active, way)
    if (row === undefined) return
    tree.goTo(row)
    if (selected !== undefined) open(table.spanId(row))
  }
  const acts: TraceActs = {
    toFound: (way) => step(state.search.rows, way),
    toError: (way) => step(state.failed, way),
    look: (factor) => onWindow(zoomed(window, factor, (window.from + window.to) / 2, duration)),
    zoomToSpan: () => {
      const row = selected === undefined ? tree.active : table.indexOf(selected)
      const offset = table.offset[row]
      const length = table.duration[row]
      if (offset === undefined || length === undefined) return
      const margin = Math.max(5, length * MARGIN)
      onWindow({ from: Math.max(0, offset - margin), to: offset + length + margin })
    },
  }
  useKeyHints("In the tree", TREE_KEYS)
  useKeyHints("In a trace", TRACE_KEYS)
  useScreenKeys({
    "]": () => acts.toError(1),
    "[": () => acts.toError(-1),
    n: () => acts.toFound(1),
    N: () => acts.toFound(-1),
    "/": () => state.searchBox.current?.focus(),
    z: () => acts.look(CLOSER),
    x: () => acts.look(FURTHER),
    "0": () => onWindow(undefined),
    s: acts.zoomToSpan,
    c: () => change({ path: !address.path }),
    f: () => change({ view: address.view === "tree" ? "flame" : "tree" }),
    "Shift+ArrowLeft": () => onWindow(panned(window, -STEP, duration)),
    "Shift+ArrowRight": () => onWindow(panned(window, STEP, duration)),
    Escape: () => (selected === undefined ? change({ search: "" }) : open(undefined)),
  })
  return acts
}

function nextOf(rows: readonly number[], from: number, way: 1 | -1): number | undefined {
  if (way === 1) return rows.find((row) => row > from) ?? rows[0]
  return rows.findLast((row) => row < from) ?? rows.at(-1)
}
