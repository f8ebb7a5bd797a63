"use client"

import { useEffect, useRef } from "react"
import { isTyping } from "#app/ui/key-sheet.tsx"
import type { KeyHint } from "#app/ui/use-key-hints.ts"

export const TREE_KEYS: readonly KeyHint[] = [
  { keys: ["↓", "j"], does: "Next span" },
  { keys: ["↑", "k"], does: "Previous span" },
  { keys: ["→", "l"], does: "Expand, or go to the first child" },
  { keys: ["←", "h"], does: "Collapse, or go to the parent" },
  { keys: ["InstallPaths", "End"], does: "First, last span" },
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
