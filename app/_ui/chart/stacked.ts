/**
 * Cumulative sums of the series. `null` counts as zero, unless all series are `null` in an interval.
 */
export function stacked(series: readonly (readonly (number | null)[])[]): (number | null)[][] {
  const sums: (number | null)[] = []
  return series.map((values) =>
    values.map((value, index) => {
      const below = sums[index] ?? null
      if (value !== null) sums[index] = (below ?? 0) + value
      return sums[index] ?? null
    }),
  )
}
