"use client"

import { useCallback, useMemo, useState } from "react"
import {
  closedFolds,
  type ClosedFolds,
  foldedRows,
  type Folds,
  foldsAbove,
} from "#otel/inspector/queries/trace/folds.ts"
import {
  rowsOfSpans,
  visibleRows,
  type WaterfallTable,
  withAncestors,
} from "#otel/inspector/queries/trace/waterfall-table.ts"

export interface Collapse {
  readonly collapsed: ReadonlySet<number>
  /** First rows of the folds that are open. */
  readonly opened: ReadonlySet<number>
  readonly folds: Folds
  readonly closed: ClosedFolds
  /** 1 for each row that a closed fold hides. */
  readonly hidden: Uint8Array
  readonly rows: Int32Array
  /** Opens a closed fold; else expands or collapses the row. */
  toggle(row: number): void
  /** Opens or closes the fold of which the row is the first. */
  toggleFold(row: number): void
  /** Expands the ancestors of a row, and opens the folds that hide it. */
  reveal(row: number): void
  collapseAll(): void
  expandAll(): void
  /** The row that a hidden row is found at: itself, or the first row of the closed fold that hides it. */
  standIn(row: number): number
}

interface State {
  readonly table: WaterfallTable
  readonly collapsed: ReadonlySet<number>
  readonly opened: ReadonlySet<number>
  /** The search results that were revealed last. */
  readonly found: Int32Array | undefined
}

const NONE: ReadonlySet<number> = new Set()

/**
 * Collapsed rows, folds and visible rows. After a refresh the same spans stay collapsed. New search results are revealed.
 *
 * @param visible marks rows to show; `undefined` shows all.
 * @param found rows of search results.
 */
export function useCollapse(
  table: WaterfallTable,
  folds: Folds,
  visible: Uint8Array | undefined,
  found: Int32Array | undefined,
): Collapse {
  const [state, setState] = useState<State>({ table, collapsed: NONE, opened: NONE, found: undefined })
  const isStale = state.table !== table || state.found !== found
  if (isStale) setState(afterSearch({ ...carriedOver(state, table), found }, folds))
  const { collapsed } = state
  const opened = useMemo(() => withHeadless(state.opened, folds, visible), [state.opened, folds, visible])
  const change = useCallback(
    (step: (before: State) => Partial<State>) => setState((before) => ({ ...before, ...step(before) })),
    [],
  )
  const steps = useMemo(
    () => ({
      toggle: (row: number) =>
        change((before) =>
          folds.members.has(row) && !before.opened.has(row)
            ? { opened: toggled(before.opened, row) }
            : { collapsed: toggled(before.collapsed, row) },
        ),
      toggleFold: (row: number) => change((before) => ({ opened: toggled(before.opened, row) })),
      // The first row of a fold stands for all: it is shown without opening the fold.
      reveal: (row: number) =>
        change((before) => revealed(before, [row], without(foldsAbove(before.table, folds, [row]), row))),
      collapseAll: () => change(() => ({ collapsed: allParents(table), opened: NONE })),
      expandAll: () => change(() => ({ collapsed: NONE, opened: new Set(folds.members.keys()) })),
    }),
    [change, table, folds],
  )
  const closed = useMemo(() => closedFolds(folds, opened), [folds, opened])
  const hidden = useMemo(() => foldedRows(table, closed), [table, closed])
  const rows = useMemo(() => visibleRows(table, collapsed, visible, hidden), [table, collapsed, visible, hidden])
  const standIn = useCallback(
    (row: number) => {
      let shown = row
      for (let above = row; above !== -1 && hidden[row] === 1; above = table.parent[above] ?? -1) {
        const first = folds.first[above] ?? -1
        if (closed.has(first)) shown = first
      }
      return shown
    },
    [table, folds, closed, hidden],
  )
  return { collapsed, opened, folds, closed, hidden, rows, standIn, ...steps }
}

/** While other rows are hidden, a fold is open whose first row is: another row of it is shown. */
function withHeadless(
  opened: ReadonlySet<number>,
  { members }: Folds,
  visible: Uint8Array | undefined,
): ReadonlySet<number> {
  if (visible === undefined) return opened
  const headless = [...members.keys()].filter((first) => visible[first] !== 1)
  return headless.length === 0 ? opened : new Set([...opened, ...headless])
}

function toggled(rows: ReadonlySet<number>, row: number): Set<number> {
  const next = new Set(rows)
  if (!next.delete(row)) next.add(row)
  return next
}

function without(rows: ReadonlySet<number>, row: number): Set<number> {
  return new Set([...rows].filter((each) => each !== row))
}

function afterSearch(state: State, folds: Folds): State {
  const { table, found } = state
  return found === undefined || found.length === 0 ? state : revealed(state, found, foldsAbove(table, folds, found))
}

/** Expands the ancestors of rows, and opens folds. */
function revealed(state: State, rows: Iterable<number>, folds: ReadonlySet<number>): State {
  const { table, collapsed, opened } = state
  const stillCollapsed = collapsed.size === 0 ? collapsed : withoutAncestors(table, collapsed, rows)
  return {
    ...state,
    collapsed: stillCollapsed.size === collapsed.size ? collapsed : stillCollapsed,
    opened: [...folds].every((first) => opened.has(first)) ? opened : new Set([...opened, ...folds]),
  }
}

/** The collapsed rows that none of the given rows is inside of. */
function withoutAncestors(table: WaterfallTable, collapsed: ReadonlySet<number>, rows: Iterable<number>): Set<number> {
  const parents = Array.from(rows, (row) => table.parent[row] ?? -1).filter((row) => row !== -1)
  const shown = withAncestors(table, parents)
  return new Set([...collapsed].filter((row) => shown[row] !== 1))
}

function allParents(table: WaterfallTable): Set<number> {
  const parents = new Set<number>()
  for (let row = 0; row < table.length; row++) if (table.childCount[row]) parents.add(row)
  return parents
}

function carriedOver(state: State, table: WaterfallTable): State {
  if (state.table === table) return state
  const collapsed = rowsOf(state.collapsed, state.table, table)
  return { ...state, table, collapsed, opened: rowsOf(state.opened, state.table, table) }
}

/** The rows of the same spans. */
function rowsOf(rows: ReadonlySet<number>, before: WaterfallTable, after: WaterfallTable): Set<number> {
  return new Set(
    rowsOfSpans(
      after,
      Array.from(rows, (row) => before.spanId(row)),
    ),
  )
}
