import { percentile } from "#tests/bench/percentile.ts"

/** The differences between two series that were measured in pairs. */
export interface Difference {
  readonly median: number
  /** Bounds of the confidence interval of the median, at least 95 %. `undefined` for fewer than six pairs. */
  readonly interval: readonly [low: number, high: number] | undefined
}

/** Outside of each end of the interval lies at most this share of the probability. */
const TAIL = 0.025

export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

/**
 * Compares two series round by round, so that load that changes between rounds cancels out. The interval is that of the
 * sign test: two of the sorted differences, which assumes nothing about how they are distributed.
 *
 * @see https://www.itl.nist.gov/div898/handbook/prc/section2/prc252.htm
 * @param values a figure of each round; `NaN` for a round without one.
 * @param baseline the figures of the same rounds to compare with.
 */
export function pairedDifference(values: readonly number[], baseline: readonly number[]): Difference {
  const differences = values
    .map((value, round) => value - (baseline[round] ?? Number.NaN))
    .filter((difference) => !Number.isNaN(difference))
    .toSorted((a, b) => a - b)
  const outside = signTestRank(differences.length)
  const low = differences[outside - 1]
  const high = differences.at(-outside)
  const interval = outside === 0 || low === undefined || high === undefined ? undefined : ([low, high] as const)
  return { median: median(differences), interval }
}

/** Whether a difference cannot be told from none. Without an interval nobody knows. */
export function isNoise({ interval }: Difference): boolean {
  return interval !== undefined && interval[0] <= 0 && interval[1] >= 0
}

/** The largest rank of which the value is below the median of the population in all but `TAIL` of the cases; 0 for none. */
function signTestRank(count: number): number {
  let rank = 0
  let cumulative = 0
  let term = 0.5 ** count
  for (; rank < count; rank++) {
    cumulative += term
    if (cumulative > TAIL) break
    term = (term * (count - rank)) / (rank + 1)
  }
  return rank
}
