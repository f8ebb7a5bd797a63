/** The percentile by nearest rank. `NaN` for no values. */
export function percentile(values: readonly number[], share: number): number {
  const rank = Math.ceil(values.length * share)
  return values.toSorted((a, b) => a - b)[Math.max(rank, 1) - 1] ?? Number.NaN
}
