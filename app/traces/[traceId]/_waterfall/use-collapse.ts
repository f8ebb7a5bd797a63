"use client"

import { useCallback, useMemo, useState } from "react"
import { visibleRows, type WaterfallTable } from "#otel/inspector/queries/trace/waterfall-table.ts"

export interface Collapse {
  readonly collapsed: ReadonlySet<number>
  readonly rows: Int32Array
  toggle(row: number): void
  /** Expands the ancestors of a row. */
  reveal(row: number): void
  collapseAll(): void
  expandAll(): void
}

const NONE: ReadonlySet<number> = new Set()

/**
 * Collapsed and visible rows. After a refresh the same spans stay collapsed.
 *
 * @param visible marks rows to show; `undefined` shows all.
 */
export function useCollapse(table: WaterfallTable, visible: Uint8Array | undefined): Collapse {
  const [state, setState] = useState({ table, collapsed: NONE })
  if (state.table !== table) setState({ table, collapsed: carriedOver(state.collapsed, state.table, table) })
  const { collapsed } = state
  const change = useCallback(
    (step: (before: ReadonlySet<number>) => ReadonlySet<number>) =>
      setState((before) => ({ ...before, collapsed: step(before.collapsed) })),
    [],
  )
  const steps = useMemo(
    () => ({
      toggle: (row: number) => change((before) => toggled(before, row)),
      reveal: (row: number) => change((before) => revealed(before, row, table)),
      collapseAll: () => change(() => allParents(table)),
      expandAll: () => change(() => NONE),
    }),
    [change, table],
  )
  const rows = useMemo(() => visibleRows(table, collapsed, visible), [table, collapsed, visible])
  return { collapsed, rows, ...steps }
}

function toggled(collapsed: ReadonlySet<number>, row: number): Set<number> {
  const next = new Set(collapsed)
  if (!next.delete(row)) next.add(row)
  return next
}

function revealed(collapsed: ReadonlySet<number>, row: number, table: WaterfallTable): ReadonlySet<number> {
  const next = new Set(collapsed)
  for (let above = table.parent[row] ?? -1; above !== -1; above = table.parent[above] ?? -1) next.delete(above)
  return next.size === collapsed.size ? collapsed : next
}

function allParents(table: WaterfallTable): Set<number> {
  const parents = new Set<number>()
  for (let row = 0; row < table.length; row++) if (table.childCount[row]) parents.add(row)
  return parents
}

function carriedOver(collapsed: ReadonlySet<number>, before: WaterfallTable, after: WaterfallTable): Set<number> {
  const ids = new Set(Array.from(collapsed, (row) => before.spanId(row)))
  const next = new Set<number>()
  if (ids.size > 0) for (let row = 0; row < after.length; row++) if (ids.has(after.spanId(row))) next.add(row)
  return next
}
