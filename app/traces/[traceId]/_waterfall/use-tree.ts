"use client"

import { defaultRangeExtractor, type Range, useVirtualizer, type Virtualizer } from "@tanstack/react-virtual"
import {
  type KeyboardEvent,
  type MouseEvent,
  type RefObject,
  useCallback,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from "react"
import type { WaterfallTable } from "#otel/inspector/queries/trace/waterfall-table.ts"
import { placeOf, treeStep } from "./tree-keys.ts"
import { type Collapse, useCollapse } from "./use-collapse.ts"

/** Pixels of the column heads, which stay over the rows: the last rows must scroll that much further into sight. */
const HEAD_HEIGHT = 44
/** Rows beside those in sight, for the next turn of a wheel. */
const OVERSCAN = 12
/** What the server takes the screen to be, in pixels. */
const FIRST_SCREEN = { width: 1_200, height: 900 }

export interface Tree {
  readonly scroller: RefObject<HTMLDivElement | null>
  readonly virtual: Virtualizer<HTMLDivElement, Element>
  readonly collapse: Collapse
  /** The row that has the keyboard. */
  readonly active: number
  /** Brings a row into sight and gives it the keyboard, opening what it is inside of. */
  goTo(row: number): void
  onKeyDown(event: KeyboardEvent): void
  onClick(event: MouseEvent): void
}

interface TreeOptions {
  readonly table: WaterfallTable
  /** The only rows that are shown, where some are hidden. */
  readonly kept: Uint8Array | undefined
  /** Id of the opened span. */
  readonly selected: string | undefined
  readonly open: (spanId: string) => void
}

/** What keyboard and pointer do in the waterfall, and which rows of it are in sight. */
export function useTree({ table, kept, selected, open }: TreeOptions): Tree {
  const scroller = useRef<HTMLDivElement>(null)
  const collapse = useCollapse(table, kept)
  const { rows, collapsed, toggle } = collapse
  const [moved, setActive] = useState(0)
  const activePlace = placeOf(rows, moved)
  const active = rows[activePlace] ?? 0
  const virtual = useRows(scroller, rows.length, activePlace)
  const takeFocus = useFocus(scroller, active)
  const show = useShow(collapse, virtual, setActive)
  useShowSelected(table, selected, show)

  const go = (row: number) => {
    setActive(row)
    virtual.scrollToIndex(placeOf(rows, row), { align: "auto" })
    takeFocus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (hasModifier(event) || rowOf(event.target) === undefined) return
    const page = Math.floor((scroller.current?.clientHeight ?? 0) / virtual.options.estimateSize(0)) - 1
    const step = treeStep(event.key, { table, rows, collapsed, active, page })
    if (step === undefined) return
    event.preventDefault()
    if (step.type === "go") go(step.to)
    else if (step.type === "toggle") toggle(active)
    else if (step.type === "open") open(table.spanId(active))
  }
  const onClick = (event: MouseEvent) => {
    const row = rowOf(event.target)
    if (row === undefined || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    setActive(row)
    if (event.target instanceof Element && event.target.closest("[data-toggle]")) toggle(row)
    else open(table.spanId(row))
  }
  const goTo = (row: number) => {
    show(row)
    takeFocus()
  }
  return { scroller, virtual, collapse, active, goTo, onKeyDown, onClick }
}

function rowOf(target: EventTarget): number | undefined {
  const element = target instanceof Element ? target.closest<HTMLElement>("[data-row]") : null
  return element === null ? undefined : Number(element.dataset.row)
}

function useRows(scroller: RefObject<HTMLDivElement | null>, count: number, activePlace: number) {
  const rowHeight = useRowHeight()
  // oxlint-disable-next-line react/incompatible-library -- the React Compiler, which this warns of, is not in use
  const virtual = useVirtualizer<HTMLDivElement, Element>({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
    initialRect: FIRST_SCREEN,
    scrollPaddingEnd: HEAD_HEIGHT,
    rangeExtractor: useCallback(
      (range: Range) => withRow(defaultRangeExtractor(range), activePlace, count),
      [activePlace, count],
    ),
  })
  useEffect(() => virtual.measure(), [rowHeight, virtual])
  return virtual
}

/** The row that has the focus stays in the document when it is scrolled away, or the focus would be lost with it. */
function withRow(places: number[], kept: number, count: number): number[] {
  return kept >= count || places.includes(kept) ? places : [...places, kept].sort((a, b) => a - b)
}

/** Gives the focus to the active row once it is in the document. */
function useFocus(scroller: RefObject<HTMLDivElement | null>, active: number): () => void {
  const wanted = useRef(false)
  useEffect(() => {
    if (!wanted.current) return
    wanted.current = false
    scroller.current?.querySelector<HTMLElement>(`[data-row="${active}"]`)?.focus({ preventScroll: true })
  })
  return useCallback(() => {
    wanted.current = true
  }, [])
}

/** Brings a row into sight once it is among the rows: what it is inside of may have to be opened first. */
function useShow(
  { reveal, rows }: Collapse,
  virtual: Virtualizer<HTMLDivElement, Element>,
  setActive: (row: number) => void,
): (row: number) => void {
  const wanted = useRef<number>(undefined)
  const [, ask] = useState(0)
  useEffect(() => {
    if (wanted.current === undefined) return
    const place = placeOf(rows, wanted.current)
    if (rows[place] !== wanted.current) return
    wanted.current = undefined
    virtual.scrollToIndex(place, { align: "auto" })
  })
  return useCallback(
    (row: number) => {
      wanted.current = row
      reveal(row)
      setActive(row)
      ask((count) => count + 1)
    },
    [reveal, setActive],
  )
}

/** Shows the span that the address names, when the page is opened at it or a link elsewhere leads to it. */
function useShowSelected(table: WaterfallTable, selected: string | undefined, show: (row: number) => void): void {
  const shown = useRef<string>(undefined)
  useEffect(() => {
    if (selected === undefined || shown.current === selected) {
      shown.current = selected
      return
    }
    const row = table.indexOf(selected)
    if (row === -1) return
    shown.current = selected
    show(row)
  }, [selected, table, show])
}

/** Shift with an arrow moves through time, which is the screen's. */
function hasModifier(event: KeyboardEvent): boolean {
  return event.ctrlKey || event.metaKey || event.altKey || event.shiftKey
}

/** Pixels. `waterfall-grid.module.css` sets the same: a row is one line on a wide screen, two on a narrow one. */
const WIDE = 26
const NARROW = 46
const NARROW_SCREEN = "(max-width: 720px)"

function watch(changed: () => void): () => void {
  const media = matchMedia(NARROW_SCREEN)
  media.addEventListener("change", changed)
  return () => media.removeEventListener("change", changed)
}

export function useRowHeight(): number {
  return useSyncExternalStore(
    watch,
    () => (matchMedia(NARROW_SCREEN).matches ? NARROW : WIDE),
    () => WIDE,
  )
}
