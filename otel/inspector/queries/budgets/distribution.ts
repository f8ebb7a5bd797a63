import { percentileError } from "../compare/comparison.ts"

/** Measured values of one figure: their percentiles, and how certain these are. */

/** Levels that are measured: the percentiles, and two levels around each, by which its density is estimated. */
export const LEVELS = [0.25, 0.5, 0.6, 0.75, 0.9, 0.92, 0.95, 0.98, 0.985, 0.99, 0.995, 1] as const

const PERCENTILES = {
  p50: { level: 0.5, around: [0.25, 0.75] },
  p75: { level: 0.75, around: [0.6, 0.9] },
  p95: { level: 0.95, around: [0.92, 0.98] },
  p99: { level: 0.99, around: [0.985, 0.995] },
} as const
export type Percentile = keyof typeof PERCENTILES

export function isPercentile(name: string): name is Percentile {
  return Object.hasOwn(PERCENTILES, name)
}

export interface Distribution {
  readonly count: number
  /** Values at the {@link LEVELS}; without meaning where `count` is 0. */
  readonly values: readonly number[]
  /** The trace with the largest value; empty without one. */
  readonly worst: string
}

/** Samples beyond a percentile that its interval needs. A 95th percentile of 100 has five above it. */
const BEYOND = 5

/** Fewest samples of each side of a comparison. */
export function fewestFor(percentile: Percentile): number {
  return Math.round(BEYOND / (1 - PERCENTILES[percentile].level))
}

export function valueAt({ values }: Distribution, stat: Percentile | "max"): number {
  return values[LEVELS.indexOf(stat === "max" ? 1 : PERCENTILES[stat].level)] ?? 0
}

export function errorAt({ count, values }: Distribution, percentile: Percentile): number {
  const {
    level,
    around: [below, above],
  } = PERCENTILES[percentile]
  const spread = (values[LEVELS.indexOf(above)] ?? 0) - (values[LEVELS.indexOf(below)] ?? 0)
  return percentileError({ count, level, width: above - below, spread })
}

/** Percentiles as ClickHouse's `quantileExact` defines them. */
export function distributionOf(samples: readonly { readonly value: number; readonly traceId: string }[]): Distribution {
  const sorted = samples.toSorted((a, b) => a.value - b.value)
  const last = sorted.length - 1
  return {
    count: sorted.length,
    values: LEVELS.map((level) => sorted[Math.min(last, Math.floor(level * sorted.length))]?.value ?? 0),
    worst: sorted.at(-1)?.traceId ?? "",
  }
}
