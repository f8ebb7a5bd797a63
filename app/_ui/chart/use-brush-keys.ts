"use client"

import { type KeyboardEvent, useState } from "react"

/** Range selected with the keyboard: its anchor and its moving end. */
export interface Marked {
  readonly anchor: number
  readonly head: number
}

/**
 * Brushing by keyboard: arrow keys move between intervals, Shift extends the range, Home and End jump to the ends, Enter applies
 * the range and Escape clears it.
 */
export function useBrushKeys(count: number, brushed: ((first: number, last: number) => void) | undefined) {
  const [marked, setMarked] = useState<Marked>()

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.altKey || event.ctrlKey || event.metaKey || count === 0) return
    const head = nextHead(event.key, marked?.head, count)
    if (head !== undefined) setMarked({ anchor: event.shiftKey && marked !== undefined ? marked.anchor : head, head })
    else if (event.key === "Escape" && marked !== undefined) setMarked(undefined)
    else if (event.key === "Enter" && marked !== undefined && brushed !== undefined) brushed(...ordered(marked))
    else return
    event.preventDefault()
  }
  return { marked, onKeyDown, onBlur: () => setMarked(undefined) }
}

export function ordered({ anchor, head }: Marked): [first: number, last: number] {
  return anchor <= head ? [anchor, head] : [head, anchor]
}

function nextHead(key: string, head: number | undefined, count: number): number | undefined {
  if (key === "ArrowLeft") return Math.max(0, (head ?? count) - 1)
  if (key === "ArrowRight") return Math.min(count - 1, (head ?? -1) + 1)
  if (key === "Home") return 0
  return key === "End" ? count - 1 : undefined
}
