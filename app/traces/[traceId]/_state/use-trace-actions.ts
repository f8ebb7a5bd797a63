"use client"

import { useEffect, useRef } from "react"
import { isTyping } from "#app/_ui/input/key-sheet.tsx"
import { type KeyHint, useKeyHints } from "#app/_ui/input/use-key-hints.ts"
import type { Finding } from "#otel/inspector/queries/trace/findings/findings.ts"
import { rowsOfSpans } from "#otel/inspector/queries/trace/waterfall-table.ts"
import { panned, zoomed } from "./time-window.ts"
import { findingKey } from "./trace-address.ts"
import type { TraceState } from "./use-trace.ts"

const ZOOM_IN = 0.5
const ZOOM_OUT = 2
/** Share of the visible range. */
const STEP = 0.25
/** Margin on both sides of a zoomed span, relative to its duration. */
const MARGIN = 0.05

export interface TraceActions {
  /** Selects a finding, or no finding: its spans become search results, and the first of them is shown. */
  readonly toFinding: (finding: Finding | undefined) => void
  /** Moves to the next or previous search result. */
  readonly toFound: (way: 1 | -1) => void
  readonly toError: (way: 1 | -1) => void
  /** A factor below 1 zooms in. */
  readonly zoom: (factor: number) => void
  /** Zooms to the selected span, or to the active row. */
  readonly zoomToSpan: () => void
}

/** Actions of keys and toolbar buttons. */
export function useTraceActions(state: TraceState): TraceActions {
  const { address, change, open, table, tree, window, duration, onWindow } = state
  const selected = address.span
  /** Moves from the active row, wrapping around. Selects the span if one is selected. */
  const step = (rows: Int32Array | undefined, way: 1 | -1) => {
    const row = rows && nextOf(rows, tree.active, way)
    if (row === undefined) return
    tree.goTo(row)
    if (selected !== undefined) open(table.spanId(row))
  }
  const toFinding = (finding: Finding | undefined) => {
    const row = finding && rowsOfSpans(table, finding.spanIds)[0]
    change({ search: "", finding: finding && findingKey(finding) })
    if (row !== undefined) tree.goTo(row)
    // Web vitals have no row.
    else if (finding !== undefined) open(finding.spanIds[0])
  }
  const actions: TraceActions = {
    toFinding,
    toFound: (way) => step(state.search.rows, way),
    toError: (way) => step(state.failed, way),
    zoom: (factor) => onWindow(zoomed(window, factor, (window.from + window.to) / 2, duration)),
    zoomToSpan: () => {
      const row = selected === undefined ? tree.active : table.indexOf(selected)
      const offset = table.offset[row]
      const length = table.duration[row]
      if (offset === undefined || length === undefined) return
      const margin = Math.max(5, length * MARGIN)
      onWindow({ from: Math.max(0, offset - margin), to: offset + length + margin })
    },
  }
  // The tree handles its keys while it has the focus: the first of them gives it the focus.
  const toTree = () => tree.goTo(tree.active)
  useKeyHints("Tree", TREE_KEYS)
  useKeyHints("Trace", TRACE_KEYS)
  useScreenKeys({
    "]": () => actions.toError(1),
    "[": () => actions.toError(-1),
    n: () => actions.toFound(1),
    N: () => actions.toFound(-1),
    "/": () => state.searchBox.current?.focus(),
    z: () => actions.zoom(ZOOM_IN),
    x: () => actions.zoom(ZOOM_OUT),
    "0": () => onWindow(undefined),
    s: actions.zoomToSpan,
    c: () => change({ path: !address.path }),
    f: () => change({ view: address.view === "flame" ? "tree" : "flame" }),
    L: () => change({ view: address.view === "logs" ? "tree" : "logs" }),
    "Shift+ArrowLeft": () => onWindow(panned(window, -STEP, duration)),
    "Shift+ArrowRight": () => onWindow(panned(window, STEP, duration)),
    ...(address.view === "tree" && {
      j: toTree,
      k: toTree,
      ArrowDown: toTree,
      ArrowUp: toTree,
    }),
    Escape: () => (selected === undefined ? change({ search: "", finding: undefined }) : open(undefined)),
  })
  return actions
}

function nextOf(rows: Int32Array, from: number, way: 1 | -1): number | undefined {
  if (way === 1) return rows.find((row) => row > from) ?? rows[0]
  return rows.findLast((row) => row < from) ?? rows.at(-1)
}

export const TREE_KEYS: readonly KeyHint[] = [
  { keys: ["↓", "j"], does: "Next span" },
  { keys: ["↑", "k"], does: "Previous span" },
  { keys: ["→", "l"], does: "Expand, or go to first child" },
  { keys: ["←", "h"], does: "Collapse, or go to parent" },
  { keys: ["Home", "End"], does: "First, last span" },
  { keys: ["PgUp", "PgDn"], does: "Page up, page down" },
  { keys: ["Enter", "Space"], does: "Select span" },
  { keys: ["Esc"], does: "Close span, clear search" },
]

export const TRACE_KEYS: readonly KeyHint[] = [
  { keys: ["]"], does: "Next error" },
  { keys: ["["], does: "Previous error" },
  { keys: ["/"], does: "Search in this trace" },
  { keys: ["n", "N"], does: "Next, previous result" },
  { keys: ["z", "x"], does: "Zoom in, zoom out" },
  { keys: ["Shift+←", "Shift+→"], does: "Pan left, pan right" },
  { keys: ["0"], does: "Reset zoom" },
  { keys: ["s"], does: "Zoom to selected span" },
  { keys: ["c"], does: "Toggle critical path" },
  { keys: ["f"], does: "Toggle flame graph" },
  { keys: ["Shift+L"], does: "Toggle logs" },
]

/** Handlers by `KeyboardEvent.key`, with `Shift+` before arrow keys. */
export type ScreenKeys = Readonly<Record<string, () => void>>

/** Handles keys anywhere on the screen, except in text inputs, in dialogs, and after another handler. */
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
