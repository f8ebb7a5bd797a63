import { clockSkew } from "./clock-skew.ts"
import { sortedIndexes } from "./columns/typed-arrays.ts"
import { type Document, type PathColumns, waits } from "./page-server.ts"

/** A period in which the trace waited for one span and for none of its descendants. Nanoseconds from the trace's start. */
export interface PathPiece {
  readonly row: number
  readonly from: number
  readonly to: number
}

/**
 * The critical path, latest piece first. It walks back from the latest end, each time into the child that ended last before
 * the current moment. A span's end includes its descendants, so that work that outlasts its caller is on the path where it is
 * the last to end; work that outlasts a caller whom somebody waited for is not. A page load waits for the servers of its
 * document until the first byte. Where clocks differ, a child counts as if it lay within its parent; its pieces have the times
 * of its own clock, as its bar does. Only a span's own time makes a piece: where nothing ran there is none. O(n log n), without
 * recursion.
 */
export function criticalPath(table: PathColumns): PathPiece[] {
  const { parent, documents } = waits(table)
  const walk: Walk = { table, parent, documents, shift: new Float64Array(parent.length) }
  const order = parentsFirst(parent)
  for (const row of order) walk.shift[row] = shiftOf(walk, row)
  const ends = latestEnds(walk, order)
  const { first, entries, next } = entriesByTime(walk, ends)
  const pieces: PathPiece[] = []
  const entered = new Uint8Array(parent.length)
  /** The spans on the way down, each with the next entry to try. */
  const stack: { row: number; entry: number }[] = [{ row: ALL, entry: first[parent.length] ?? NONE }]
  let until = ends.reduce((latest, to) => Math.max(latest, to), -Infinity)
  while (stack.length > 0) {
    const top = stack.at(-1) as { row: number; entry: number }
    const row = entries.row[top.entry] ?? NONE
    const at = entries.at[top.entry] ?? 0
    if (top.entry === NONE) {
      if (top.row !== ALL) until = addPiece(pieces, walk, top.row, -Infinity, until)
      stack.pop()
      continue
    }
    top.entry = next[top.entry] ?? NONE
    if (at > until || entered[row] === 1) continue
    entered[row] = 1
    if (top.row !== ALL) addPiece(pieces, walk, top.row, at, until)
    until = at
    stack.push({ row, entry: first[row] ?? NONE })
  }
  return pieces
}

const NONE = -1
/** The parent of the top-level rows. */
const ALL = -1

interface Walk {
  readonly table: PathColumns
  /** The row that waited for each row. */
  readonly parent: Int32Array
  readonly documents: ReadonlyMap<number, Document>
  /** Nanoseconds by which each row's clock is behind that of the trace. */
  readonly shift: Float64Array
}

function startOf({ table, shift }: Walk, row: number): number {
  return (table.offset[row] ?? 0) + (shift[row] ?? 0)
}

function endOf(walk: Walk, row: number): number {
  return startOf(walk, row) + (walk.table.duration[row] ?? 0)
}

/** Adds the part of the period that the span itself covers. Returns the start of the period, at the latest the span's own. */
function addPiece(pieces: PathPiece[], walk: Walk, row: number, from: number, until: number): number {
  const start = startOf(walk, row)
  const piece = { row, from: Math.max(from, start), to: Math.min(until, endOf(walk, row)) }
  const shift = walk.shift[row] ?? 0
  if (piece.to > piece.from) pieces.push({ row, from: piece.from - shift, to: piece.to - shift })
  return Math.min(Math.max(from, start), until)
}

/** Rows in an order in which each follows the row that waited for it. */
function parentsFirst(parent: Int32Array): Int32Array {
  const first = new Int32Array(parent.length + 1).fill(NONE)
  const next = new Int32Array(parent.length).fill(NONE)
  for (let row = parent.length - 1; row >= 0; row--) {
    const above = parent[row] === NONE ? parent.length : (parent[row] ?? NONE)
    next[row] = first[above] ?? NONE
    first[above] = row
  }
  const order = new Int32Array(parent.length)
  const stack = [first[parent.length] ?? NONE]
  let count = 0
  while (stack.length > 0) {
    const row = stack.pop() ?? NONE
    if (row === NONE) continue
    order[count++] = row
    stack.push(next[row] ?? NONE, first[row] ?? NONE)
  }
  return order.subarray(0, count)
}

/** The shift of the row's parent, and what its own clock differs from that one's. */
function shiftOf(walk: Walk, row: number): number {
  const { table, parent, documents, shift } = walk
  const document = documents.get(row)
  if (document !== undefined) return documentShift(walk, document)
  const above = parent[row] ?? NONE
  if (above === NONE) return 0
  const inherited = shift[above] ?? 0
  const child = { offset: table.offset[row] ?? 0, duration: table.duration[row] ?? 0 }
  const caller = { offset: table.offset[above] ?? 0, duration: table.duration[above] ?? 0 }
  // A page's own start is that of its request: nothing before it is early. A page in a page has its own server.
  if (table.pages.has(row)) return inherited
  const isAnswer = table.kind(row) === "server" && table.kind(above) === "client"
  const isLate = child.offset + child.duration > caller.offset + caller.duration
  // The server of a call answers within it, unless it goes on after the caller has left.
  const isOutside = isAnswer && isLate && child.duration <= caller.duration
  return child.offset < caller.offset || isOutside ? inherited + clockSkew(child, caller).likely : inherited
}

/** A server starts after the page and before the first byte. Else its clock differs: it is centered in that time. */
function documentShift({ table, shift }: Walk, { server, waiting, firstByte }: Document): number {
  const inherited = shift[waiting] ?? 0
  const offset = table.offset[waiting] ?? 0
  const child = { offset: table.offset[server] ?? 0, duration: table.duration[server] ?? 0 }
  if (child.offset >= offset && child.offset < firstByte) return inherited
  return inherited + clockSkew(child, { offset, duration: Math.max(0, firstByte - offset) }).likely
}

/** When a document's first byte arrived; `Infinity` for other rows. */
function firstByteOf({ documents, shift }: Walk, row: number): number {
  const document = documents.get(row)
  return document === undefined ? Infinity : document.firstByte + (shift[document.waiting] ?? 0)
}

/** The latest end of each span and its descendants. Of a document's servers, what ends after the first byte is cut. */
function latestEnds(walk: Walk, order: Int32Array): Float64Array {
  const ends = new Float64Array(walk.parent.length)
  for (let row = 0; row < ends.length; row++) ends[row] = endOf(walk, row)
  for (let place = order.length - 1; place >= 0; place--) {
    const row = order[place] ?? NONE
    const above = walk.parent[row] ?? NONE
    const end = Math.min(ends[row] ?? 0, firstByteOf(walk, row))
    if (above !== NONE) ends[above] = Math.max(ends[above] ?? 0, end)
  }
  return ends
}

/** Entries of one row at most. */
const ENTRIES_A_ROW = 3

/** Moments at which the path can enter a row, coming from later: see `addEntries`. */
class Entries {
  readonly row: Int32Array
  readonly at: Float64Array
  count = 0

  constructor(rows: number) {
    this.row = new Int32Array(rows * ENTRIES_A_ROW)
    this.at = new Float64Array(rows * ENTRIES_A_ROW)
  }

  add(row: number, at: number): void {
    this.row[this.count] = row
    this.at[this.count] = at
    this.count += 1
  }
}

/** The entries into each row's children as a linked list, latest first. Those of top-level rows are of index `parent.length`. */
function entriesByTime(walk: Walk, ends: Float64Array) {
  const { parent } = walk
  const entries = new Entries(parent.length)
  for (let row = 0; row < parent.length; row++) addEntries(entries, walk, row, ends[row] ?? 0)
  const { count } = entries
  const first = new Int32Array(parent.length + 1).fill(NONE)
  const next = new Int32Array(count).fill(NONE)
  // Each goes to the front: of two at one moment the earlier row is entered first.
  const byTime = sortedIndexes(entries.at.subarray(0, count).toReversed())
  for (const place of byTime) {
    const index = count - 1 - place
    const above = parent[entries.row[index] ?? NONE] ?? NONE
    const list = above === NONE ? parent.length : above
    next[index] = first[list] ?? NONE
    first[list] = index
  }
  return { first, entries, next }
}

/**
 * When the path can enter a row: at the latest end below it; where that comes too late, at its own end; and into the server of
 * a call at the end of the call, since a server often goes on after its answer.
 */
function addEntries(entries: Entries, walk: Walk, row: number, latest: number): void {
  if (walk.documents.has(row)) {
    entries.add(row, Math.min(latest, firstByteOf(walk, row)))
    return
  }
  const end = endOf(walk, row)
  entries.add(row, latest)
  if (end < latest) entries.add(row, end)
  const above = walk.parent[row] ?? NONE
  if (above === NONE || walk.table.kind(row) !== "server" || walk.table.kind(above) !== "client") return
  const answered = endOf(walk, above)
  if (answered < end && answered > startOf(walk, row)) entries.add(row, answered)
}

/** Nanoseconds that each row has on the path. Rows off the path are absent. */
export function pathTimes(pieces: readonly PathPiece[]): ReadonlyMap<number, number> {
  const times = new Map<number, number>()
  for (const { row, from, to } of pieces) times.set(row, (times.get(row) ?? 0) + to - from)
  return times
}
