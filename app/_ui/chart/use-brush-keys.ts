"use client"

import { type KeyboardEvent, useState } from "react"

/** Intervals that are marked from the keyboard: where it began, and where it is now. */
export interface Marked {
  readonly anchor: number
  readonly head: number
}

/**
 * The keyboard's way to what a pointer does: arrows go from interval to interval, with Shift they mark a range, Home and
 * End go to the ends, Enter takes the range and Escape lets it go.
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
