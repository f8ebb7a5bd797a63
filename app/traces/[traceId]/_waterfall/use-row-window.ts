"use client"

import { type RefObject, useEffect, useState, useSyncExternalStore } from "react"
import { flushSync } from "react-dom"
import { rowWindow, type RowWindow } from "./row-window.ts"

/** Viewport that the server assumes, in pixels. */
const FIRST_SCREEN_PX = 900
/** Height of the sticky column headers, in pixels. */
const HEAD_PX = 44
/** Rows of a trace on paper at most. */
export const PRINT_LIMIT = 2_000

interface ScrollView {
  readonly scrollTop: number
  readonly viewPx: number
}

/** Rows by which a scroll may move on before other rows are rendered. Fewer than are shown beyond the visible part. */
const STEP_ROWS = 4

/** Where the rows are scrolled to. The rows follow it, and nothing else of the screen renders when it changes. */
class ScrollPosition {
  #view: ScrollView = { scrollTop: 0, viewPx: FIRST_SCREEN_PX }
  readonly #listeners = new Set<() => void>()

  readonly get = () => this.#view

  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  set(view: ScrollView): void {
    this.#view = view
    for (const listener of this.#listeners) listener()
  }
}

export interface TreeScroll {
  readonly position: ScrollPosition
  readonly rowPx: number
  /** Rows that Page Down moves by. */
  readonly page: () => number
  /** Scrolls as little as shows a row. */
  readonly scrollTo: (place: number) => void
}

/** Follows the scroller of `count` rows. */
export function useTreeScroll(scroller: RefObject<HTMLDivElement | null>, count: number): TreeScroll {
  const rowPx = useRowHeight()
  const [position] = useState(() => new ScrollPosition())
  useEffect(() => {
    const element = scroller.current
    if (element === null) return undefined
    const read = () => position.set(viewOf(element))
    const scrolled = () => {
      const moved = Math.abs(element.scrollTop - position.get().scrollTop)
      const isScaled = rowWindow({ ...position.get(), rowPx, count, focused: -1 }).isScaled
      // Before the next frame: rows that come later leave it empty.
      if (isScaled || moved >= STEP_ROWS * rowPx) flushSync(read)
    }
    const observer = new ResizeObserver(read)
    observer.observe(element)
    element.addEventListener("scroll", scrolled, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener("scroll", scrolled)
    }
  }, [scroller, position, rowPx, count])
  return {
    position,
    rowPx,
    page: () => Math.max(1, Math.floor(position.get().viewPx / rowPx)),
    scrollTo(place) {
      const element = scroller.current
      if (element === null) return
      const { topFor } = rowWindow({ ...viewOf(element), rowPx, count, focused: -1 })
      element.scrollTo({ top: topFor(place) })
    },
  }
}

function viewOf({ scrollTop, clientHeight }: HTMLElement): ScrollView {
  return { scrollTop, viewPx: Math.max(0, clientHeight - HEAD_PX) }
}

/** The rows in the viewport. The focused row stays in the document when it is scrolled away, so that it keeps the focus. */
export function useRowWindow({ position, rowPx }: TreeScroll, count: number, focused: number): RowWindow {
  const view = useSyncExternalStore(position.subscribe, position.get, position.get)
  return rowWindow({ ...view, rowPx, count, focused })
}

/** Chromium, Firefox and Safari send both events, for a print by script, by menu and to PDF. */
export function usePrinting(): boolean {
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
