import { SPAN_KINDS, type SpanKind } from "../../../protocol/records/span.ts"
import { MARK_RADIX, SPAN_ID_LENGTH, type WaterfallJson } from "./waterfall-json.ts"

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
  readonly nameIndex: Int32Array
  readonly serviceIndex: Int32Array
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

export function readWaterfall(json: WaterfallJson): WaterfallTable {
  const nameIndex = integers(json.nameIndexes)
  const serviceIndex = integers(json.serviceIndexes)
  const { names, services } = json
  return {
    length: json.rowsHere,
    whole: json.spanCount,
    traceDuration: Number(json.durationNano),
    ...tree(integers(json.depths)),
    offset: numbers(json.offsets),
    duration: numbers(json.durations),
    nameIndex,
    serviceIndex,
    names,
    services,
    events: {
      row: integers(json.eventRows),
      offset: numbers(json.eventOffsets),
      isException: (index) => json.eventKinds[index] === "1",
    },
    spanId: (index) => json.ids.slice(index * SPAN_ID_LENGTH, (index + 1) * SPAN_ID_LENGTH),
    name: (index) => names[nameIndex[index] ?? -1] ?? "",
    service: (index) => services[serviceIndex[index] ?? -1] ?? "",
    pages: new Map(
      json.pages.flatMap(({ spanId, firstByteNano }) => {
        const row = aligned(json.ids, spanId)
        return row === -1 ? [] : [[row, firstByteNano ?? undefined] as const]
      }),
    ),
    kind: (index) => SPAN_KINDS[Number(json.kinds[index])] ?? "unspecified",
    has: (index, mark) => (Number.parseInt(json.marks[index] ?? "0", MARK_RADIX) & mark) !== 0,
    indexOf: (id) => aligned(json.ids, id),
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
export function markedRows(table: WaterfallTable, marks: number): number[] {
  const rows: number[] = []
  for (let row = 0; row < table.length; row++) if (table.has(row, marks)) rows.push(row)
  return rows
}

/** Rows of spans, in order. Spans without a row, such as web vitals, are left out. */
export function rowsOfSpans(table: WaterfallTable, spanIds: readonly string[]): number[] {
  const ids = new Set(spanIds)
  const rows: number[] = []
  for (let row = 0; row < table.length && ids.size > 0; row++) if (ids.has(table.spanId(row))) rows.push(row)
  return rows
}

/** 1 for each of the rows and their ancestors. */
export function withAncestors(table: WaterfallTable, rows: readonly number[]): Uint8Array {
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

/** Skips matches that span two ids. */
function aligned(ids: string, id: string): number {
  if (id.length !== SPAN_ID_LENGTH) return -1
  let at = ids.indexOf(id)
  while (at !== -1 && at % SPAN_ID_LENGTH !== 0) at = ids.indexOf(id, at + 1)
  return at === -1 ? -1 : at / SPAN_ID_LENGTH
}

function texts(column: string): string[] {
  return column === "" ? [] : column.split(",")
}

function integers(column: string): Int32Array {
  return Int32Array.from(texts(column), Number)
}

function numbers(column: string): Float64Array {
  return Float64Array.from(texts(column), Number)
}
