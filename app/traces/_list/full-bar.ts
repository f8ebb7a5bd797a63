/** Share of the traces whose bars compare. The bars of the others are full, so that one long trace does not flatten all. */
const COMPARED = 0.95
/** From this many on; of fewer the longest has the full bar. */
const LEAST = 5

/** The duration of a full bar beside these durations, in nanoseconds. */
export function fullBar(durations: readonly number[]): number {
  const sorted = durations.toSorted((a, b) => a - b)
  const compared = Math.min(
    Math.ceil(sorted.length * COMPARED),
    sorted.length < LEAST ? sorted.length : sorted.length - 1,
  )
  return Math.max(1, sorted[compared - 1] ?? 1)
}
