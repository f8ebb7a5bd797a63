"use client"

import { useWindowVirtualizer } from "@tanstack/react-virtual"
import { type RefObject, useLayoutEffect, useState, useSyncExternalStore } from "react"

/** Row heights in pixels, the same as in `trace-table.module.css`. */
const ROW_PX = 29
const NARROW_ROW_PX = 46
const NARROW = "(max-width: 720px)"
/** Rows that the server renders, and rows rendered beyond the viewport. */
const FIRST_ROWS = 60
const OVERSCAN = 12

export interface VisibleRows {
  readonly first: number
  readonly rows: number
  /** Height of the rows that are not rendered, in pixels. */
  readonly above: number
  readonly below: number
  readonly scrollTo: (row: number) => void
}

/** The rows of a long table to render while the page scrolls; the first ones before hydration. */
export function useVisibleRows(table: RefObject<HTMLTableElement | null>, count: number): VisibleRows {
  const isNarrow = useSyncExternalStore(
    onWidth,
    () => matchMedia(NARROW).matches,
    () => false,
  )
  const height = isNarrow ? NARROW_ROW_PX : ROW_PX
  const top = useTop(table)
  // oxlint-disable-next-line react/incompatible-library -- only numbers and one function leave this hook
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

/** Distance of the rows from the top of the page, updated on resize; `undefined` before the first measurement. */
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
