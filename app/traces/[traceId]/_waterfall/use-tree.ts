"use client"

import {
  type KeyboardEvent,
  type MouseEvent,
  type RefObject,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react"
import type { Folds } from "#otel/inspector/queries/trace/folds.ts"
import type { WaterfallTable } from "#otel/inspector/queries/trace/waterfall-table.ts"
import { placeOf, treeStep } from "./tree-keys.ts"
import { type Collapse, useCollapse } from "./use-collapse.ts"
import { type TreeScroll, useTreeScroll } from "./use-row-window.ts"

export interface Tree {
  readonly scroller: RefObject<HTMLDivElement | null>
  readonly scroll: TreeScroll
  readonly collapse: Collapse
  /** The focusable row. */
  readonly active: number
  /** Its index among the visible rows. */
  readonly activePlace: number
  /** Reveals a row, scrolls to it and focuses it. */
  goTo(row: number): void
  onKeyDown(event: KeyboardEvent): void
  onClick(event: MouseEvent): void
}

interface TreeOptions {
  readonly table: WaterfallTable
  readonly folds: Folds
  /** Rows of search results. */
  readonly found: Int32Array | undefined
  /** Marks rows to show; `undefined` shows all. */
  readonly visible: Uint8Array | undefined
  /** Id of the selected span. */
  readonly selected: string | undefined
  readonly open: (spanId: string) => void
}

/** Keyboard, pointer and scrolling of the waterfall. */
export function useTree({ table, folds, found, visible, selected, open }: TreeOptions): Tree {
  const scroller = useRef<HTMLDivElement>(null)
  const collapse = useCollapse(table, folds, visible, found)
  const { rows, collapsed, opened, toggle, toggleFold } = collapse
  const [moved, setActive] = useState(0)
  const activePlace = placeOf(rows, collapse.standIn(moved))
  const active = rows[activePlace] ?? 0
  const scroll = useTreeScroll(scroller, rows.length)
  const takeFocus = useFocus(scroller, active)
  const go = (row: number) => {
    setActive(row)
    scroll.scrollTo(placeOf(rows, row))
    takeFocus()
  }
  const end = useLoadedEnd(scroller, table, () => go(rows.at(-1) ?? 0))
  const move = useCallback(
    (row: number) => {
      end.forget()
      setActive(row)
    },
    [end],
  )
  const show = useShow(collapse, scroll, move)
  useShowSelected(table, selected, show)

  const onKeyDown = (event: KeyboardEvent) => {
    if (hasModifier(event) || rowOf(event.target) === undefined) return
    const step = treeStep(event.key, { table, rows, collapsed, folds, opened, active, page: scroll.page() })
    if (step === undefined) return
    event.preventDefault()
    end.forget()
    if (step.type === "go") go(step.to)
    else if (step.type === "toggle") toggle(active)
    else if (step.type === "fold") toggleFold(active)
    else if (step.type === "open") open(table.spanId(active))
    if (event.key === "End") end.expect()
  }
  const onClick = (event: MouseEvent) => {
    const row = rowOf(event.target)
    if (row === undefined || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    move(row)
    const target = event.target instanceof Element ? event.target : undefined
    if (target?.closest("[data-fold]")) toggleFold(row)
    else if (target?.closest("[data-toggle]")) toggle(row)
    else open(table.spanId(row))
  }
  const goTo = (row: number) => {
    show(row)
    takeFocus()
  }
  return { scroller, scroll, collapse, active, activePlace, goTo, onKeyDown, onClick }
}

function rowOf(target: EventTarget): number | undefined {
  const element = target instanceof Element ? target.closest<HTMLElement>("[data-row]") : null
  return element === null ? undefined : Number(element.dataset.row)
}

/**
 * Returns a function that focuses the active row. The request is state, not a ref: the effects of an earlier commit may still be
 * to come, and would focus the row that was active then.
 */
function useFocus(scroller: RefObject<HTMLDivElement | null>, active: number): () => void {
  const [request, setRequest] = useState(0)
  const answered = useRef(0)
  useEffect(() => {
    if (answered.current === request) return
    answered.current = request
    scroller.current?.querySelector<HTMLElement>(`[data-row="${active}"]`)?.focus({ preventScroll: true })
    // In a low window, as at a zoom of 200 %, the page scrolls to the tree. The tree itself scrolls to the row.
    scroller.current?.scrollIntoView({ block: "nearest" })
  })
  return useCallback(() => setRequest((count) => count + 1), [])
}

interface LoadedEnd {
  /** The last row that is loaded has been gone to. */
  readonly expect: () => void
  /** Another row has been gone to. */
  readonly forget: () => void
}

/** Goes to the last row of the trace once all rows are loaded, if End was pressed before and the rows were not scrolled since. */
function useLoadedEnd(
  scroller: RefObject<HTMLDivElement | null>,
  { length, whole }: WaterfallTable,
  goToEnd: () => void,
): LoadedEnd {
  const isLoading = length < whole
  /** Where the rows were scrolled to; `undefined` if the end is not expected. */
  const expected = useRef<number>(undefined)
  useEffect(() => {
    if (isLoading || expected.current === undefined) return
    const isThere = scroller.current?.scrollTop === expected.current
    expected.current = undefined
    if (isThere) goToEnd()
  })
  return useMemo(
    () => ({
      expect: () => (expected.current = isLoading ? scroller.current?.scrollTop : undefined),
      forget: () => (expected.current = undefined),
    }),
    [isLoading, scroller],
  )
}

/** Scrolls to a row once it is visible: its ancestors may have to expand first. */
function useShow(
  { reveal, rows }: Collapse,
  { scrollTo }: TreeScroll,
  setActive: (row: number) => void,
): (row: number) => void {
  const wanted = useRef<number>(undefined)
  const [, renderAgain] = useState(0)
  useEffect(() => {
    if (wanted.current === undefined) return
    const place = placeOf(rows, wanted.current)
    if (rows[place] !== wanted.current) return
    wanted.current = undefined
    scrollTo(place)
  })
  return useCallback(
    (row: number) => {
      wanted.current = row
      reveal(row)
      setActive(row)
      renderAgain((count) => count + 1)
    },
    [reveal, setActive],
  )
}

/** Reveals the span in the URL, on load and when a link selects it. */
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

/** Keys with modifiers belong to the screen: Shift with an arrow pans. */
function hasModifier(event: KeyboardEvent): boolean {
  return event.ctrlKey || event.metaKey || event.altKey || event.shiftKey
}
