import type { TimeColumns } from "./self-time.ts"

/** Most lanes; spans that find no free lane overlap in the last one. */
const LANE_LIMIT = 512

export interface FlameLanes {
  /** Lane of each row, from 0 at the top; -1 for a hidden row. */
  readonly lane: Int32Array
  readonly count: number
  /** Rows that found no free lane and overlap others. */
  readonly crowded: number
}

/**
 * The lane of each span in a flame graph: below its parent, the first lane that is free at its start. Concurrent siblings do
 * not overlap.
 *
 * @param hidden 1 for each row without a lane. Default: none.
 */
export function flameLanes({ parent, offset, duration }: TimeColumns, hidden?: Uint8Array): FlameLanes {
  const lane = Int32Array.from(parent, (_, row) => (hidden?.[row] === 1 ? -1 : 0))
  const freeFrom = new Float64Array(LANE_LIMIT).fill(-Infinity)
  const byStart = Int32Array.from(parent, (_, row) => row).sort((a, b) => (offset[a] ?? 0) - (offset[b] ?? 0) || a - b)
  let count = 0
  let crowded = 0
  for (const row of byStart) {
    if (hidden?.[row] === 1) continue
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
