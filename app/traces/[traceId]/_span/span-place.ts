import { clockSkew } from "#otel/inspector/queries/trace/clock-skew.ts"
import { spanPath } from "#otel/inspector/queries/trace/event-of-span.ts"
import { MARK } from "#otel/inspector/queries/trace/waterfall-columns.ts"
import type { WaterfallTable } from "#otel/inspector/queries/trace/waterfall-table.ts"

/** Position of a span in its trace, from the waterfall. Times in nanoseconds. */
export interface SpanPlace {
  readonly offset: number
  readonly self: number
  readonly childCount: number
  readonly descendantCount: number
  /** `undefined` without a parent, or while the parent has not arrived. */
  readonly parent: { readonly name: string; readonly spanId: string } | undefined
  /** Clock skew against the parent; `undefined` if there is none. */
  readonly skew: ReturnType<typeof clockSkew> | undefined
  /** Ids of the span and its ancestors, nearest first. */
  readonly path: readonly string[]
  /** Time on the critical path; `undefined` while the path is hidden. */
  readonly onPath: number | undefined
}

export function placeOf(
  table: WaterfallTable,
  row: number,
  self: Float64Array,
  onPath: ReadonlyMap<number, number> | undefined,
): SpanPlace | undefined {
  if (row === -1) return undefined
  const parent = table.parent[row] ?? -1
  const interval = (of: number) => ({ offset: table.offset[of] ?? 0, duration: table.duration[of] ?? 0 })
  return {
    offset: table.offset[row] ?? 0,
    self: self[row] ?? 0,
    childCount: table.childCount[row] ?? 0,
    descendantCount: table.descendantCount[row] ?? 0,
    parent: parent === -1 ? undefined : { name: table.name(parent), spanId: table.spanId(parent) },
    skew: table.has(row, MARK.skewed) && parent !== -1 ? clockSkew(interval(row), interval(parent)) : undefined,
    path: spanPath(table, row),
    onPath: onPath === undefined ? undefined : (onPath.get(row) ?? 0),
  }
}
