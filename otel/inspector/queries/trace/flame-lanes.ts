import { sortedIndexes } from "./columns/typed-arrays.ts"
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
  const lane = new Int32Array(parent.length)
  const free = new FreeLanes()
  let count = 0
  let crowded = 0
  for (const row of sortedIndexes(offset)) {
    if (hidden?.[row] === 1) {
      lane[row] = -1
      continue
    }
    const above = parent[row] ?? -1
    const start = offset[row] ?? 0
    const found = free.first(above === -1 ? 0 : (lane[above] ?? 0) + 1, start)
    if (found === -1) crowded++
    const chosen = found === -1 ? LANE_LIMIT - 1 : found
    lane[row] = chosen
    free.occupy(chosen, start + (duration[row] ?? 0))
    count = Math.max(count, chosen + 1)
  }
  return { lane, count, crowded }
}

/**
 * When each lane is free again, as a tree of the earliest such times: the children of the node `n` are `2 n` and `2 n + 1`, and
 * the lanes are the last `LANE_LIMIT` nodes. With it a free lane among hundreds is found in ten steps.
 */
class FreeLanes {
  readonly #from = new Float64Array(2 * LANE_LIMIT).fill(-Infinity)

  /** The first lane, from the given one on, that is free at a time; -1 if there is none. */
  first(lane: number, at: number): number {
    if (lane >= LANE_LIMIT) return -1
    let node = lane + LANE_LIMIT
    while ((this.#from[node] ?? 0) > at) {
      // The next node to the right: that of the nearest ancestor which is a left child. There is none on the right edge.
      while (node % 2 === 1) node >>= 1
      if (node === 0) return -1
      node++
    }
    while (node < LANE_LIMIT) {
      node *= 2
      if ((this.#from[node] ?? 0) > at) node++
    }
    return node - LANE_LIMIT
  }

  occupy(lane: number, until: number): void {
    const from = this.#from
    let node = lane + LANE_LIMIT
    let earliest = Math.max(from[node] ?? 0, until)
    while (node >= 1 && from[node] !== earliest) {
      from[node] = earliest
      node >>= 1
      earliest = Math.min(from[2 * node] ?? 0, from[2 * node + 1] ?? 0)
    }
  }
}
