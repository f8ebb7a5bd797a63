import { SPAN_KINDS, type SpanKind } from "../model/span.ts"
import { MARK_RADIX, type WaterfallJson } from "./waterfall-json.ts"

/**
 * A waterfall in the page: one typed column a property, indexed by row in display order. It refuses nothing, since our own
 * server wrote what it reads; a row past the end has empty texts.
 */
export interface WaterfallTable {
  readonly length: number
  /** From the earliest start to the latest end, in nanoseconds. */
  readonly traceDuration: bigint
  readonly depth: Int32Array
  /** Index of the parent's row, or -1. */
  readonly parent: Int32Array
  readonly descendantCount: Int32Array
  readonly childCount: Int32Array
  /** From 1, among its siblings. */
  readonly placeInSet: Int32Array
  readonly setSize: Int32Array
  /** Where the span begins and how much it covers, as fractions of the whole trace: for drawing only, since they round. */
  readonly start: Float64Array
  readonly width: Float64Array
  spanId(index: number): string
  name(index: number): string
  service(index: number): string
  kind(index: number): SpanKind
  offset(index: number): bigint
  duration(index: number): bigint
  has(index: number, mark: number): boolean
  /** -1 when no span has the id. */
  indexOf(spanId: string): number
}

const ID_LENGTH = 16

export function readWaterfall(json: WaterfallJson): WaterfallTable {
  const names = integers(json.nameIndexes)
  const services = integers(json.serviceIndexes)
  const offsets = texts(json.offsets)
  const durations = texts(json.durations)
  const whole = Number(json.durationNano) || 1
  const spanId = (index: number) => json.ids.slice(index * ID_LENGTH, (index + 1) * ID_LENGTH)
  return {
    length: json.spanCount,
    traceDuration: BigInt(json.durationNano),
    ...tree(integers(json.depths)),
    start: Float64Array.from(offsets, (text) => Number(text) / whole),
    width: Float64Array.from(durations, (text) => Number(text) / whole),
    spanId,
    name: (index) => json.names[names[index] ?? -1] ?? "",
    service: (index) => json.services[services[index] ?? -1] ?? "",
    kind: (index) => SPAN_KINDS[Number(json.kinds[index])] ?? "unspecified",
    offset: (index) => BigInt(offsets[index] ?? 0),
    duration: (index) => BigInt(durations[index] ?? 0),
    has: (index, mark) => (Number.parseInt(json.marks[index] ?? "0", MARK_RADIX) & mark) !== 0,
    indexOf: (id) => aligned(json.ids, id),
  }
}

/** Rows that are not inside a collapsed one, in order. */
export function visibleRows(table: WaterfallTable, collapsed: ReadonlySet<number>): Int32Array {
  const visible = new Int32Array(table.length)
  let count = 0
  for (let row = 0; row < table.length; row++) {
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

type Tree = Pick<WaterfallTable, "depth" | "parent" | "descendantCount" | "childCount" | "placeInSet" | "setSize">

/** Depths in display order hold the whole tree: the parent is the last row before that is one less deep. */
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

/** An id may also be found across the border of two others: only every sixteenth place counts. */
function aligned(ids: string, id: string): number {
  if (id.length !== ID_LENGTH) return -1
  let at = ids.indexOf(id)
  while (at !== -1 && at % ID_LENGTH !== 0) at = ids.indexOf(id, at + 1)
  return at === -1 ? -1 : at / ID_LENGTH
}

function texts(column: string): string[] {
  return column === "" ? [] : column.split(",")
}

function integers(column: string): Int32Array {
  return Int32Array.from(texts(column), Number)
}
