"use client"

import { type RefObject, useEffect, useRef, useState } from "react"
import { type KeyHint, useKeyHints } from "#app/_ui/input/use-key-hints.ts"

const STEPS: ReadonlyMap<string, number> = new Map([
  ["j", 1],
  ["ArrowDown", 1],
  ["k", -1],
  ["ArrowUp", -1],
  ["PageDown", 15],
  ["PageUp", -15],
  ["Home", Number.NEGATIVE_INFINITY],
  ["End", Number.POSITIVE_INFINITY],
])
/** Work anywhere on the screen. The other keys scroll the page unless a row has focus. */
const EVERYWHERE = new Set(["j", "k"])

const LIST_KEYS: readonly KeyHint[] = [
  { keys: ["j", "k"], does: "Next, previous trace" },
  { keys: ["↓", "↑"], does: "The same, from a trace" },
  { keys: ["PgDn", "PgUp"], does: "15 traces down, up" },
  { keys: ["Home", "End"], does: "First, last trace" },
  { keys: ["Enter"], does: "Open trace" },
  { keys: ["/"], does: "Edit the filter" },
]

/** Moves the focus between rows; Enter follows the link of the row. Returns the active row, or -1. */
export function useRowKeys(table: RefObject<HTMLTableElement | null>, count: number, scrollTo: (row: number) => void) {
  const [active, setActive] = useState(-1)
  useKeyHints("List of traces", LIST_KEYS)
  const wanted = useRef<number>(undefined)
  const scroll = useRef(scrollTo)
  useEffect(() => {
    scroll.current = scrollTo
  })

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const step = STEPS.get(event.key)
      if (step === undefined || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
      const target = event.target instanceof HTMLElement ? event.target : undefined
      if (target?.matches("input, textarea, select, [role=application]")) return
      const row = rowOf(target)
      if (row === undefined && !EVERYWHERE.has(event.key)) return
      event.preventDefault()
      const next = Math.min(count - 1, Math.max(0, (row ?? -1) + step))
      wanted.current = next
      setActive(next)
      scroll.current(next)
    }
    document.addEventListener("keydown", onKey)
    return () => document.removeEventListener("keydown", onKey)
  }, [count])

  // A row outside the viewport enters the document only after scrolling.
  useEffect(() => {
    if (wanted.current === undefined) return
    const link = table.current?.querySelector<HTMLElement>(`tr[data-row="${wanted.current}"] a`)
    if (!link) return
    wanted.current = undefined
    link.focus({ preventScroll: true })
  })
  return active
}

function rowOf(target: HTMLElement | undefined): number | undefined {
  const row = target?.closest<HTMLElement>("tr[data-row]")?.dataset["row"]
  return row === undefined ? undefined : Number(row)
}
