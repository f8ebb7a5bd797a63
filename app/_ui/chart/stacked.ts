/**
 * Each series on top of those before it. Nothing known counts as nothing there, unless no series knows anything of the
 * interval.
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
