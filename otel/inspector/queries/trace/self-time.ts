/** The columns of a waterfall that times are computed from. Rows in display order; times in nanoseconds. */
export interface TimeColumns {
  readonly parent: Int32Array
  readonly offset: Float64Array
  readonly duration: Float64Array
}

/**
 * Self time of each row: the part of a span that none of its children covers. The overlap of children counts once. The part
 * of a child outside its parent (a call that is not awaited, or clock skew) does not count. Linear, since siblings are in
 * order of start time.
 */
export function selfTimes({ parent, offset, duration }: TimeColumns): Float64Array {
  const self = Float64Array.from(duration)
  const coveredUpTo = Float64Array.from(offset)
  for (let row = 0; row < parent.length; row++) {
    const above = parent[row] ?? -1
    if (above === -1) continue
    const parentEnd = (offset[above] ?? 0) + (duration[above] ?? 0)
    const from = Math.max(offset[row] ?? 0, coveredUpTo[above] ?? 0)
    const to = Math.min((offset[row] ?? 0) + (duration[row] ?? 0), parentEnd)
    if (to <= from) continue
    self[above] = (self[above] ?? 0) - (to - from)
    coveredUpTo[above] = to
  }
  return self
}

/** Rows whose times are added up as they overlap. More take too long for a key stroke. */
const COVERED_ROWS = 50_000

/** Time that rows in any order cover together, in nanoseconds: overlaps count once. `undefined` for more than 50,000 rows. */
export function coveredBy(rows: Int32Array, { offset, duration }: Omit<TimeColumns, "parent">): number | undefined {
  if (rows.length > COVERED_ROWS) return undefined
  let covered = 0
  let upTo = -Infinity
  for (const row of rows.toSorted((a, b) => (offset[a] ?? 0) - (offset[b] ?? 0))) {
    const from = Math.max(upTo, offset[row] ?? 0)
    upTo = Math.max(upTo, (offset[row] ?? 0) + (duration[row] ?? 0))
    covered += Math.max(0, upTo - from)
  }
  return covered
}
