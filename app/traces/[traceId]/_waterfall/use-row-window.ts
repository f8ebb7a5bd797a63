"use client"

import { type RefObject, useEffect, useState, useSyncExternalStore } from "react"
import { flushSync } from "react-dom"
import { rowWindow, type RowWindow, type ScrolledRows } from "./row-window.ts"

/** Viewport that the server assumes, in pixels. */
const FIRST_SCREEN_PX = 900
/** Height of the sticky column headers, in pixels. */
const HEAD_PX = 44
/** Rows of a trace on paper at most. */
export const PRINT_LIMIT = 2_000

export interface ShownRows extends RowWindow {
  /** Whether all rows up to `PRINT_LIMIT` are in the document, one below the other. */
  readonly isPrinting: boolean
  /** Rows that Page Down moves by. */
  readonly page: number
  /** Scrolls as little as shows a row. */
  readonly scrollTo: (place: number) => void
}

/** The rows in the viewport. The focused row stays in the document when it is scrolled away, so that it keeps the focus. */
export function useRowWindow(scroller: RefObject<HTMLDivElement | null>, count: number, focused: number): ShownRows {
  const rowPx = useRowHeight()
  const isPrinting = usePrinting()
  const [view, setView] = useState({ scrollTop: 0, viewPx: FIRST_SCREEN_PX })
  const rows: ScrolledRows = { ...view, rowPx, count, focused }
  useEffect(() => {
    const element = scroller.current
    if (element === null) return undefined
    const read = () => setView({ scrollTop: element.scrollTop, viewPx: Math.max(0, element.clientHeight - HEAD_PX) })
    // Before the next frame: rows that come later leave it empty.
    const scrolled = () => flushSync(read)
    const observer = new ResizeObserver(read)
    observer.observe(element)
    element.addEventListener("scroll", scrolled, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener("scroll", scrolled)
    }
  }, [scroller])
  const shown = rowWindow(rows)
  const { topFor } = shown
  const scrollTo = (place: number) => scroller.current?.scrollTo({ top: topFor(place) })
  const page = Math.max(1, Math.floor(view.viewPx / rowPx))
  const printed = isPrinting && { places: Array.from({ length: Math.min(count, PRINT_LIMIT) }, (_, place) => place) }
  return { ...shown, ...printed, isPrinting, page, scrollTo }
}

/** Chromium, Firefox and Safari send both events, for a print by script, by menu and to PDF. */
function usePrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false)
  useEffect(() => {
    // The browser prints as soon as the listeners return.
    const begin = () => flushSync(() => setPrinting(true))
    const end = () => setPrinting(false)
    addEventListener("beforeprint", begin)
    addEventListener("afterprint", end)
    return () => {
      removeEventListener("beforeprint", begin)
      removeEventListener("afterprint", end)
    }
  }, [])
  return isPrinting
}

/** Row heights in pixels, the same as in `waterfall-grid.module.css`: one line on wide screens, two on narrow ones. */
const WIDE = 26
const NARROW = 46
const NARROW_SCREEN = "(max-width: 720px)"

function watch(changed: () => void): () => void {
  const media = matchMedia(NARROW_SCREEN)
  media.addEventListener("change", changed)
  return () => media.removeEventListener("change", changed)
}

function useRowHeight(): number {
  return useSyncExternalStore(
    watch,
    () => (matchMedia(NARROW_SCREEN).matches ? NARROW : WIDE),
    () => WIDE,
  )
}
