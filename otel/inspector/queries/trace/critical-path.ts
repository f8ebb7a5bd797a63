import type { TimeColumns } from "./self-time.ts"

/** A period in which the trace waited for one span and for none of its descendants. Nanoseconds from the trace's start. */
export interface PathPiece {
  readonly row: number
  readonly from: number
  readonly to: number
}

/**
 * The critical path, latest piece first. It walks back from the latest end, each time into the child that ended last before
 * the current moment. A span's end includes its descendants, so a page that continues after the request for its HTML, and
 * work that outlasts its caller, are on the path. Only a span's own time makes a piece: where nothing ran there is none.
 * O(n log n), without recursion.
 */
export function criticalPath(table: TimeColumns): PathPiece[] {
  const ends = latestEnds(table)
  const { first, next } = childrenByEnd(table.parent, ends)
  const pieces: PathPiece[] = []
  /** The spans on the way down, each with its next child to visit. */
  const stack: { row: number; child: number }[] = [{ row: ALL, child: first[table.parent.length] ?? NONE }]
  let until = ends.reduce((latest, to) => Math.max(latest, to), 0)
  while (stack.length > 0) {
    const top = stack.at(-1) as { row: number; child: number }
    const child = top.child
    if (child !== NONE && (ends[child] ?? 0) > until) {
      top.child = next[child] ?? NONE
    } else if (child === NONE) {
      if (top.row !== ALL) until = addPiece(pieces, table, top.row, table.offset[top.row] ?? 0, until)
      stack.pop()
    } else {
      if (top.row !== ALL) addPiece(pieces, table, top.row, ends[child] ?? 0, until)
      until = ends[child] ?? 0
      top.child = next[child] ?? NONE
      stack.push({ row: child, child: first[child] ?? NONE })
    }
  }
  return pieces
}

const NONE = -1
/** The parent of the top-level rows. */
const ALL = -1

/** Adds the part of the period that the span itself covers. Returns the start of the period. */
function addPiece(pieces: PathPiece[], table: TimeColumns, row: number, from: number, until: number): number {
  const start = table.offset[row] ?? 0
  const piece = { row, from: Math.max(from, start), to: Math.min(until, start + (table.duration[row] ?? 0)) }
  if (piece.to > piece.from) pieces.push(piece)
  return Math.min(from, until)
}

/** The latest end of each span and its descendants. */
function latestEnds({ parent, offset, duration }: TimeColumns): Float64Array {
  const ends = Float64Array.from(offset, (start, row) => start + (duration[row] ?? 0))
  for (let row = parent.length - 1; row >= 0; row--) {
    const above = parent[row] ?? NONE
    if (above !== NONE) ends[above] = Math.max(ends[above] ?? 0, ends[row] ?? 0)
  }
  return ends
}

/** Each row's children as a linked list, latest end first. The top-level rows are the children of index `parent.length`. */
function childrenByEnd(parent: Int32Array, to: Float64Array): { first: Int32Array; next: Int32Array } {
  const first = new Int32Array(parent.length + 1).fill(NONE)
  const next = new Int32Array(parent.length).fill(NONE)
  const byEnd = Int32Array.from(parent, (_, row) => row).sort((a, b) => (to[a] ?? 0) - (to[b] ?? 0) || b - a)
  for (const row of byEnd) {
    const above = parent[row] ?? NONE
    const list = above === NONE ? parent.length : above
    next[row] = first[list] ?? NONE
    first[list] = row
  }
  return { first, next }
}

/** Nanoseconds that each row has on the path. Rows off the path are absent. */
export function pathTimes(pieces: readonly PathPiece[]): ReadonlyMap<number, number> {
  const times = new Map<number, number>()
  for (const { row, from, to } of pieces) times.set(row, (times.get(row) ?? 0) + to - from)
  return times
}
