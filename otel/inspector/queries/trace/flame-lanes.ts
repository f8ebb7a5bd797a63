import type { TimeColumns } from "./self-time.ts"

/** Lanes at most; what finds none is drawn over the last one. */
const LANE_LIMIT = 512

export interface FlameLanes {
  /** Lane of each row, from 0 at the top. */
  readonly lane: Int32Array
  readonly count: number
  /** Rows that found no lane of their own and lie over others. */
  readonly crowded: number
}

/**
 * Where each span stands in a flame graph: below its parent, in the first lane that is free for its time, so that siblings
 * which ran at once lie below one another instead of over one another.
 */
export function flameLanes({ parent, offset, duration }: TimeColumns): FlameLanes {
  const lane = new Int32Array(parent.length)
  const freeFrom = new Float64Array(LANE_LIMIT).fill(-Infinity)
  const byStart = Int32Array.from(parent, (_, row) => row).sort((a, b) => (offset[a] ?? 0) - (offset[b] ?? 0) || a - b)
  let count = 0
  let crowded = 0
  for (const row of byStart) {
    const above = parent[row] ?? -1
    const start = offset[row] ?? 0
    let chosen = above === -1 ? 0 : (lane[above] ?? 0) + 1
    while (chosen < LANE_LIMIT && (freeFrom[chosen] ?? 0) > start) chosen++
    if (chosen >= LANE_LIMIT) {
      chosen = LANE_LIMIT - 1
      crowded++
    }
    lane[row] = chosen
    freeFrom[chosen] = Math.max(freeFrom[chosen] ?? 0, start + (duration[row] ?? 0))
    count = Math.max(count, chosen + 1)
  }
  return { lane, count, crowded }
}
