import { clockSkew } from "#otel/inspector/queries/trace/clock-skew.ts"
import { spanPath } from "#otel/inspector/queries/trace/event-of-span.ts"
import { MARK } from "#otel/inspector/queries/trace/waterfall-json.ts"
import type { WaterfallTable } from "#otel/inspector/queries/trace/waterfall-table.ts"

/** Where a span stands in its trace: what the waterfall knows of it, beside what it tells itself. Nanoseconds. */
export interface SpanPlace {
  readonly offset: number
  readonly self: number
  readonly childCount: number
  readonly descendantCount: number
  /** `undefined` when it has no parent, or its parent has not arrived. */
  readonly parent: { readonly name: string; readonly spanId: string } | undefined
  /** By how much it starts before its parent; `undefined` when the clocks give no reason for doubt. */
  readonly skew: ReturnType<typeof clockSkew> | undefined
  /** Ids of it and of those that it ran in, the nearest first. */
  readonly path: readonly string[]
  /** How much of the critical path it is; `undefined` while that is not shown. */
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
