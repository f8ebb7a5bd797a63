/** By the nearest rank: the smallest value that at least this share of them does not exceed. `NaN` of none. */
export function percentile(values: readonly number[], share: number): number {
  const rank = Math.ceil(values.length * share)
  return values.toSorted((a, b) => a - b)[Math.max(rank, 1) - 1] ?? Number.NaN
}
