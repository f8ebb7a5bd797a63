"use client"

import { useWindowVirtualizer } from "@tanstack/react-virtual"
import { type RefObject, useLayoutEffect, useState, useSyncExternalStore } from "react"

/** Heights of a row, as the style sheet has them. */
const ROW_PX = 29
const NARROW_ROW_PX = 46
const NARROW = "(max-width: 720px)"
/** Rows that the server renders, and that stand ready beyond the edges. */
const FIRST_ROWS = 60
const OVERSCAN = 12

export interface VisibleRows {
  readonly first: number
  readonly rows: number
  /** Pixels of the rows that are left out. */
  readonly above: number
  readonly below: number
  readonly scrollTo: (row: number) => void
}

/** Which rows of a long table are in sight while the page scrolls. Until the script runs, the first ones. */
export function useVisibleRows(table: RefObject<HTMLTableElement | null>, count: number): VisibleRows {
  const isNarrow = useSyncExternalStore(
    onWidth,
    () => matchMedia(NARROW).matches,
    () => false,
  )
  const height = isNarrow ? NARROW_ROW_PX : ROW_PX
  const top = useTop(table)
  // oxlint-disable-next-line react/incompatible-library -- nothing of it is handed on but numbers and one function
  const virtual = useWindowVirtualizer({
    count,
    estimateSize: () => height,
    overscan: OVERSCAN,
    scrollMargin: top ?? 0,
  })
  useLayoutEffect(() => virtual.measure(), [virtual, height])
  const scrollTo = (row: number) => virtual.scrollToIndex(row, { align: "auto" })
  const items = virtual.getVirtualItems()
  if (top === undefined || items.length === 0)
    return { first: 0, rows: Math.min(count, FIRST_ROWS), above: 0, below: 0, scrollTo }
  const first = items[0]?.index ?? 0
  const rows = items.length
  return { first, rows, above: first * height, below: (count - first - rows) * height, scrollTo }
}

/** How far down the page the rows begin, kept current as what is above them grows; `undefined` before it is known. */
function useTop(table: RefObject<HTMLTableElement | null>): number | undefined {
  const [top, setTop] = useState<number>()
  useLayoutEffect(() => {
    const measure = () => {
      const body = table.current?.tBodies[0]
      if (body) setTop(Math.round(body.getBoundingClientRect().top + window.scrollY))
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(document.body)
    return () => observer.disconnect()
  }, [table])
  return top
}

function onWidth(changed: () => void): () => void {
  const query = matchMedia(NARROW)
  query.addEventListener("change", changed)
  return () => query.removeEventListener("change", changed)
}
