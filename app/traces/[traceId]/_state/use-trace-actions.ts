"use client"

import { useKeyHints, type KeyHint } from "#app/_ui/input/use-key-hints.ts"
import { panned, zoomed } from "./time-window.ts"
import type { TraceState } from "./use-trace.ts"
import { useEffect, useRef } from "react"
import { isTyping } from "#app/_ui/input/key-sheet.tsx"

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

export const TREE_KEYS: readonly KeyHint[] = [
  { keys: ["↓", "j"], does: "Next span" },
  { keys: ["↑", "k"], does: "Previous span" },
  { keys: ["→", "l"], does: "Expand, or go to the first child" },
  { keys: ["←", "h"], does: "Collapse, or go to the parent" },
  { keys: ["Home", "End"], does: "First, last span" },
  { keys: ["PgUp", "PgDn"], does: "A screen up, down" },
  { keys: ["Enter", "Space"], does: "Open the span" },
  { keys: ["Esc"], does: "Close the span, end the search" },
]

export const TRACE_KEYS: readonly KeyHint[] = [
  { keys: ["]"], does: "Next error" },
  { keys: ["["], does: "Previous error" },
  { keys: ["/"], does: "Search in this trace" },
  { keys: ["n", "N"], does: "Next, previous span that is found" },
  { keys: ["z", "x"], does: "Look closer, look further" },
  { keys: ["Shift+←", "Shift+→"], does: "Earlier, later" },
  { keys: ["0"], does: "The whole trace" },
  { keys: ["s"], does: "Zoom to the opened span" },
  { keys: ["c"], does: "Critical path on, off" },
  { keys: ["f"], does: "Flame graph or tree" },
]

/** What a key does, by `KeyboardEvent.key`, with `Shift+` before arrows. */
export type ScreenKeys = Readonly<Record<string, () => void>>

/** Listens wherever the focus is, but for text that is being typed and for what a part of the screen took for itself. */
export function useScreenKeys(keys: ScreenKeys): void {
  const latest = useRef(keys)
  useEffect(() => {
    latest.current = keys
  })
  useEffect(() => {
    const listener = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      if (document.querySelector("dialog[open]") !== null) return
      const name = event.shiftKey && event.key.startsWith("Arrow") ? `Shift+${event.key}` : event.key
      const act = latest.current[name]
      if (act === undefined) return
      event.preventDefault()
      act()
    }
    addEventListener("keydown", listener)
    return () => removeEventListener("keydown", listener)
  }, [])
}
