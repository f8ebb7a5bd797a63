import type { Folds } from "#otel/inspector/queries/trace/folds.ts"
import type { WaterfallTable } from "#otel/inspector/queries/trace/waterfall-table.ts"

/** State of keyboard navigation. Rows are indexes of the table. */
export interface TreePlace {
  readonly table: WaterfallTable
  /** Visible rows, ascending. */
  readonly rows: Int32Array
  readonly collapsed: ReadonlySet<number>
  readonly folds: Pick<Folds, "members">
  /** First rows of open folds. */
  readonly opened: ReadonlySet<number>
  /** The focused row, one of `rows`. */
  readonly active: number
  /** Rows that fit on the screen. */
  readonly page: number
}

export type TreeStep =
  | { readonly type: "go"; readonly to: number }
  | { readonly type: "toggle" }
  /** Closes the fold. */
  | { readonly type: "fold" }
  | { readonly type: "open" }
  | { readonly type: "stay" }

/**
 * The effect of a key in a tree grid with focusable rows; `undefined` for other keys.
 *
 * @see https://www.w3.org/WAI/ARIA/apg/patterns/treegrid/
 */
export function treeStep(key: string, place: TreePlace): TreeStep | undefined {
  const { rows, active, page } = place
  const at = placeOf(rows, active)
  switch (key) {
    case "ArrowDown":
    case "j":
      return goTo(rows, at + 1)
    case "ArrowUp":
    case "k":
      return goTo(rows, at - 1)
    case "PageDown":
      return goTo(rows, at + page)
    case "PageUp":
      return goTo(rows, at - page)
    case "Home":
      return goTo(rows, 0)
    case "End":
      return goTo(rows, rows.length - 1)
    case "ArrowRight":
    case "l":
      return inward(place, at)
    case "ArrowLeft":
    case "h":
      return outward(place)
    case "Enter":
    case " ":
      return { type: "open" }
    default:
      return undefined
  }
}

function goTo(rows: Int32Array, place: number): TreeStep {
  const to = rows[Math.max(0, Math.min(rows.length - 1, place))]
  return to === undefined ? { type: "stay" } : { type: "go", to }
}

/** Opens a closed fold, expands a collapsed row, or moves to the first child. */
function inward({ table, rows, collapsed, folds, opened, active }: TreePlace, at: number): TreeStep {
  if (folds.members.has(active) && !opened.has(active)) return { type: "toggle" }
  if (!table.childCount[active]) return { type: "stay" }
  return collapsed.has(active) ? { type: "toggle" } : goTo(rows, at + 1)
}

/** Collapses an expanded row, closes an open fold from its first row, or moves to the parent. */
function outward({ table, collapsed, folds, opened, active }: TreePlace): TreeStep {
  const isClosed = folds.members.has(active) && !opened.has(active)
  if (!isClosed && table.childCount[active] && !collapsed.has(active)) return { type: "toggle" }
  if (!isClosed && folds.members.has(active)) return { type: "fold" }
  const parent = table.parent[active] ?? -1
  return parent === -1 ? { type: "stay" } : { type: "go", to: parent }
}

/** Index of a row in an ascending list, or of the nearest row before it. */
export function placeOf(rows: Int32Array, row: number): number {
  let low = 0
  let high = rows.length - 1
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if ((rows[middle] ?? 0) <= row) low = middle
    else high = middle - 1
  }
  return low
}
