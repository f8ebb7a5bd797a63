import { SPAN_KINDS, type SpanKind } from "../../../protocol/records/span.ts"
import { SpanIds } from "./columns/span-ids.ts"
import { indexesWhere } from "./columns/typed-arrays.ts"
import type { WaterfallColumns } from "./waterfall-columns.ts"

/**
 * A waterfall in the page: one typed column for each property, indexed by row in display order. It validates nothing, since
 * Pagespan's server writes it; a row past the end has empty texts. Times are nanoseconds from the earliest start, exact up
 * to 2^53: a trace of 104 days.
 */
export interface WaterfallTable {
  readonly length: number
  /** Rows of the whole waterfall; more than `length` until the page has received them all. */
  readonly whole: number
  /** From the earliest start to the latest end. */
  readonly traceDuration: number
  readonly depth: Int32Array
  /** Index of the parent's row, or -1. */
  readonly parent: Int32Array
  readonly descendantCount: Int32Array
  readonly childCount: Int32Array
  /** From 1, among its siblings. */
  readonly placeInSet: Int32Array
  readonly setSize: Int32Array
  readonly offset: Float64Array
  readonly duration: Float64Array
  readonly ids: SpanIds
  readonly nameIndex: Uint32Array
  readonly serviceIndex: Uint32Array
  /** Sums of `MARK`s. */
  readonly marks: Uint8Array
  readonly names: readonly string[]
  readonly services: readonly string[]
  readonly events: EventColumns
  /** Rows of page loads, with the moment of their first byte where it is known. */
  readonly pages: ReadonlyMap<number, number | undefined>
  spanId(index: number): string
  name(index: number): string
  service(index: number): string
  kind(index: number): SpanKind
  has(index: number, mark: number): boolean
  /** -1 when no span has the id. */
  indexOf(spanId: string): number
}

/** Events of all rows, by row and time. */
export interface EventColumns {
  readonly row: Int32Array
  readonly offset: Float64Array
  isException(index: number): boolean
}

export function readWaterfall(columns: WaterfallColumns): WaterfallTable {
  const { names, services, nameIndexes, serviceIndexes, kinds, marks, eventKinds } = columns
  const ids = new SpanIds(columns.ids)
  return {
    length: columns.depths.length,
    whole: columns.spanCount,
    traceDuration: Number(columns.durationNano),
    ids,
    ...tree(columns.depths),
    offset: columns.offsets,
    duration: columns.durations,
    nameIndex: nameIndexes,
    serviceIndex: serviceIndexes,
    marks,
    names,
    services,
    events: {
      row: columns.eventRows,
      offset: columns.eventOffsets,
      isException: (index) => eventKinds[index] === 1,
    },
    spanId: (index) => ids.text(index),
    name: (index) => names[nameIndexes[index] ?? -1] ?? "",
    service: (index) => services[serviceIndexes[index] ?? -1] ?? "",
    pages: new Map(
      columns.pages.flatMap(({ spanId, firstByteNano }) => {
        const row = ids.indexOf(spanId)
        return row === -1 ? [] : [[row, firstByteNano ?? undefined] as const]
      }),
    ),
    kind: (index) => SPAN_KINDS[kinds[index] ?? 0] ?? "unspecified",
    has: (index, mark) => ((marks[index] ?? 0) & mark) !== 0,
    indexOf: (id) => ids.indexOf(id),
  }
}

/**
 * Rows that are not inside a collapsed one, in order.
 *
 * @param included 1 for each row to include. Default: all rows.
 * @param hidden 1 for each row that a fold hides.
 */
export function visibleRows(
  table: WaterfallTable,
  collapsed: ReadonlySet<number>,
  included?: Uint8Array,
  hidden?: Uint8Array,
): Int32Array {
  const visible = new Int32Array(table.length)
  let count = 0
  for (let row = 0; row < table.length; row++) {
    if ((included !== undefined && included[row] !== 1) || hidden?.[row] === 1) continue
    visible[count++] = row
    if (collapsed.has(row)) row += table.descendantCount[row] ?? 0
  }
  return visible.subarray(0, count)
}

/** Rows with any of the marks, in order. */
export function markedRows({ length, marks }: WaterfallTable, any: number): Int32Array {
  return indexesWhere(length, (row) => ((marks[row] ?? 0) & any) !== 0)
}

/** Rows of spans, in order. Spans without a row, such as web vitals, are left out. */
export function rowsOfSpans(table: WaterfallTable, spanIds: readonly string[]): Int32Array {
  const places = SpanIds.of(spanIds).indexesOf(table.ids)
  return indexesWhere(table.length, (row) => places[row] !== -1)
}

/** 1 for each of the rows. */
export function markedOf({ length }: WaterfallTable, rows: Int32Array): Uint8Array {
  const marked = new Uint8Array(length)
  for (const row of rows) marked[row] = 1
  return marked
}

/** 1 for each of the rows and their ancestors. */
export function withAncestors(table: WaterfallTable, rows: Iterable<number>): Uint8Array {
  const included = new Uint8Array(table.length)
  for (const start of rows)
    for (let row = start; row !== -1 && included[row] !== 1; row = table.parent[row] ?? -1) included[row] = 1
  return included
}

type Tree = Pick<WaterfallTable, "depth" | "parent" | "descendantCount" | "childCount" | "placeInSet" | "setSize">

/** The tree by its depths in display order: a row's parent is the last row before it with a depth of one less. */
function tree(depth: Int32Array): Tree {
  const parent = new Int32Array(depth.length)
  const childCount = new Int32Array(depth.length)
  const placeInSet = new Int32Array(depth.length)
  const descendantCount = new Int32Array(depth.length)
  const path: number[] = []
  let rootCount = 0
  for (let row = 0; row < depth.length; row++) {
    path.length = depth[row] ?? 0
    const above = path.at(-1) ?? -1
    path.push(row)
    parent[row] = above
    placeInSet[row] = above === -1 ? ++rootCount : (childCount[above] = (childCount[above] ?? 0) + 1)
  }
  for (let row = depth.length - 1; row > 0; row--) {
    const above = parent[row] ?? -1
    if (above !== -1) descendantCount[above] = (descendantCount[above] ?? 0) + (descendantCount[row] ?? 0) + 1
  }
  const setSize = parent.map((above) => (above === -1 ? rootCount : (childCount[above] ?? 0)))
  return { depth, parent, descendantCount, childCount, placeInSet, setSize }
}
