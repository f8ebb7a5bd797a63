import type { TimeColumns } from "./self-time.ts"
import { SPAN_KINDS } from "../../../protocol/records/span.ts"
import { MARK } from "./waterfall-columns.ts"
import type { WaterfallTable } from "./waterfall-table.ts"

/** Equal siblings that are shown as one row: the first of them stands for all, with their number. */
export interface Folds {
  /** The rows of each fold by its first row, in order. */
  readonly members: ReadonlyMap<number, readonly number[]>
  /** The first row of the fold that each row is a member of; -1 for the others. */
  readonly first: Int32Array
}

/** As many equal siblings fold. Fewer are read faster than unfolded. */
export const FOLD_FROM = 5

const NONE = -1

/**
 * Siblings are equal when name, service, kind and warnings are the same, for them and everything below them. A span that
 * failed, or has a failure below it, does not fold. Linear.
 *
 * @param kept rows that do not fold for another reason, such as a reported error.
 */
export function foldsOf(table: WaterfallTable, kept: (row: number) => boolean = () => false): Folds {
  const shapes = shapesOf(table, kept)
  const first = new Int32Array(table.length).fill(NONE)
  const members = new Map<number, readonly number[]>()
  const byShape = new Map<number, number[]>()
  for (const siblings of siblingLists(table)) {
    for (const row of siblings) {
      const shape = shapes[row] ?? UNEQUAL
      if (shape === UNEQUAL) continue
      const equal = byShape.get(shape)
      if (equal === undefined) byShape.set(shape, [row])
      // Different shapes may have one hash.
      else if (isNamedAs(table, row, equal[0] ?? NONE)) equal.push(row)
    }
    for (const rows of byShape.values()) {
      if (rows.length < FOLD_FROM) continue
      members.set(rows[0] ?? NONE, rows)
      for (const row of rows) first[row] = rows[0] ?? NONE
    }
    byShape.clear()
  }
  return { members, first }
}

/** The rows of each set of siblings that is large enough to fold, in display order of their parents. */
function* siblingLists({ length, childCount, descendantCount, setSize }: WaterfallTable): Generator<number[]> {
  const from = (start: number, count: number) => {
    const rows: number[] = []
    for (let row = start; rows.length < count; row += (descendantCount[row] ?? 0) + 1) rows.push(row)
    return rows
  }
  const rootCount = length === 0 ? 0 : (setSize[0] ?? 0)
  if (rootCount >= FOLD_FROM) yield from(0, rootCount)
  for (let row = 0; row < length; row++) {
    const count = childCount[row] ?? 0
    if (count >= FOLD_FROM) yield from(row + 1, count)
  }
}

function isNamedAs({ nameIndex, serviceIndex }: WaterfallTable, row: number, other: number): boolean {
  return nameIndex[row] === nameIndex[other] && serviceIndex[row] === serviceIndex[other]
}

/** The shape of a row that equals no other. */
const UNEQUAL = 0

/** A hash of each row and everything below it, in which the order of children does not count; `UNEQUAL` above a failure. */
function shapesOf(table: WaterfallTable, kept: (row: number) => boolean): Float64Array {
  const { parent, nameIndex, serviceIndex } = table
  const shapes = new Float64Array(parent.length)
  const below = new Int32Array(parent.length)
  const failed = new Uint8Array(parent.length)
  for (let row = parent.length - 1; row >= 0; row--) {
    const above = parent[row] ?? NONE
    if (failed[row] === 1 || table.has(row, MARK.error | MARK.exception) || kept(row)) {
      if (above !== NONE) failed[above] = 1
      continue
    }
    const own = mixed(
      (nameIndex[row] ?? 0) * 31 + (serviceIndex[row] ?? 0),
      SPAN_KINDS.indexOf(table.kind(row)) + warnings(table, row),
    )
    const hash = mixed(own, below[row] ?? 0)
    shapes[row] = (hash >>> 0) + 1
    if (above !== NONE) below[above] = ((below[above] ?? 0) + mixed(hash, 1)) | 0
  }
  return shapes
}

function warnings(table: WaterfallTable, row: number): number {
  return (table.has(row, MARK.skewed) ? 8 : 0) + (table.has(row, MARK.parentMissing | MARK.ringCut) ? 16 : 0)
}

/** The finalizer of MurmurHash3, of two integers. */
function mixed(a: number, b: number): number {
  let hash = Math.imul(a ^ 0x9e37_79b9, 0x85eb_ca6b) ^ Math.imul(b + 0x7f4a_7c15, 0xc2b2_ae35)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b)
  return hash ^ (hash >>> 13)
}

/** Closed folds: their rows by the first one. */
export type ClosedFolds = Folds["members"]

export function closedFolds({ members }: Folds, opened: ReadonlySet<number>): ClosedFolds {
  return opened.size === 0 ? members : new Map([...members].filter(([first]) => !opened.has(first)))
}

/** 1 for each row that a closed fold hides: its members but the first, and everything below them. */
export function foldedRows(table: WaterfallTable, closed: ClosedFolds): Uint8Array {
  const hidden = new Uint8Array(table.length)
  for (const [first, rows] of closed)
    for (const row of rows) hidden.fill(1, row === first ? row + 1 : row, row + (table.descendantCount[row] ?? 0) + 1)
  return hidden
}

/** When the last of the rows ends, and what they take together. Nanoseconds. */
export function foldExtent({ offset, duration }: Pick<TimeColumns, "offset" | "duration">, rows: readonly number[]) {
  let end = 0
  let total = 0
  for (const row of rows) {
    end = Math.max(end, (offset[row] ?? 0) + (duration[row] ?? 0))
    total += duration[row] ?? 0
  }
  return { end, total }
}

/** The times of the rows, where the first row of a closed fold reaches over all its members. */
export function foldedTimes(table: TimeColumns, closed: ClosedFolds): TimeColumns {
  const duration = Float64Array.from(table.duration)
  for (const [first, rows] of closed) duration[first] = foldExtent(table, rows).end - (table.offset[first] ?? 0)
  return { parent: table.parent, offset: table.offset, duration }
}

/**
 * The folds that rows are hidden in: those that they or their ancestors are members of. A fold is not opened by its first row,
 * nor where all its members are among the rows and nothing below them: then its one row shows them.
 */
export function foldsAbove(table: WaterfallTable, { members, first }: Folds, rows: Iterable<number>): Set<number> {
  const opened = new Set<number>()
  const among = new Map<number, number>()
  const visited = new Uint8Array(table.length)
  for (const row of rows) {
    const own = first[row] ?? NONE
    if (own !== NONE) among.set(own, (among.get(own) ?? 0) + 1)
    for (
      let above = table.parent[row] ?? NONE;
      above !== NONE && visited[above] === 0;
      above = table.parent[above] ?? NONE
    ) {
      visited[above] = 1
      const fold = first[above] ?? NONE
      if (fold !== NONE) opened.add(fold)
    }
  }
  for (const [fold, count] of among) if (count < (members.get(fold)?.length ?? 0)) opened.add(fold)
  return opened
}
