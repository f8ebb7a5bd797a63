import { CHANGE_NANOS, CHANGE_SHARE } from "../trace/compare-traces.ts"

/** How two sets of measurements differ, and whether the difference is more than chance. */

/** Percentiles that a comparison needs: two to show, and those around them, which say how certain these two are. */
export const LEVELS = [0.25, 0.5, 0.75, 0.92, 0.95, 0.98] as const

/** What one side measured. */
export interface Measured {
  readonly count: number
  readonly failed: number
  /** Milliseconds at the {@link LEVELS}; without meaning where `count` is 0. */
  readonly times: readonly number[]
  /** Sum of the durations, in milliseconds. */
  readonly total: number
}

/** What is shown of a side. Durations in milliseconds. */
export interface Figures {
  readonly count: number
  readonly failed: number
  readonly p50: number
  readonly p95: number
}

/** `within_noise`: too small to matter, or as small as chance makes it. `too_few`: nothing can be said about so few. */
export type Verdict = "higher" | "lower" | "within_noise" | "too_few"

export interface Difference {
  /** The current side less the baseline. */
  readonly value: number
  readonly verdict: Verdict
}

/** A row of a comparison. `a` is the baseline, `b` the current side. */
export interface Compared {
  readonly a: Figures | null
  readonly b: Figures | null
  /** The current side less the baseline; `null` for a row that one side does not have. Durations in milliseconds. */
  readonly difference: {
    readonly count: number
    readonly p50: Difference
    readonly p95: Difference
    /** Of the share that failed, 0 to 1. */
    readonly failedShare: Difference
  } | null
}

/** Fewer than these on either side are too few: a 95th percentile of 20 is the slowest but one. */
export const FEWEST = { p50: 10, p95: 100, share: 10 } as const
/** Beyond chance is a difference of three standard errors: of 400 equal rows, one is called different. */
export const STANDARD_ERRORS = 3
const CHANGE_MS = CHANGE_NANOS / 1e6

export function compareMeasured(a: Measured, b: Measured): Compared {
  const both = a.count > 0 && b.count > 0
  return {
    a: figuresOf(a),
    b: figuresOf(b),
    difference: both ? differencesOf(a, b) : null,
  }
}

function figuresOf({ count, failed, times }: Measured): Figures | null {
  return count === 0 ? null : { count, failed, p50: times[1] ?? 0, p95: times[4] ?? 0 }
}

function differencesOf(a: Measured, b: Measured): Compared["difference"] {
  return {
    count: b.count - a.count,
    p50: timeDifference(a, b, { level: 0.5, at: 1, around: [0, 2], fewest: FEWEST.p50 }),
    p95: timeDifference(a, b, { level: 0.95, at: 4, around: [3, 5], fewest: FEWEST.p95 }),
    failedShare: shareDifference(a, b),
  }
}

interface Percentile {
  readonly level: number
  /** Its index in `LEVELS`. */
  readonly at: number
  /** The indexes between which its density is estimated. */
  readonly around: readonly [below: number, above: number]
  readonly fewest: number
}

function timeDifference(a: Measured, b: Measured, percentile: Percentile): Difference {
  const [before, after] = [a.times[percentile.at] ?? 0, b.times[percentile.at] ?? 0]
  const value = after - before
  if (Math.min(a.count, b.count) < percentile.fewest) return { value, verdict: "too_few" }
  const matters = Math.abs(value) >= Math.max(CHANGE_MS, before * CHANGE_SHARE)
  const error = Math.hypot(errorOf(a, percentile), errorOf(b, percentile))
  return { value, verdict: matters ? verdictOf(value, error) : "within_noise" }
}

function errorOf({ count, times }: Measured, { level, around: [below, above] }: Percentile): number {
  const width = (LEVELS[above] ?? 0) - (LEVELS[below] ?? 0)
  return percentileError({ count, level, width, spread: (times[above] ?? 0) - (times[below] ?? 0) })
}

/** A percentile of measured values, and two percentiles around it. */
export interface PercentileSample {
  readonly count: number
  /** 0 to 1. */
  readonly level: number
  /** The difference of the levels around it, and that of their values. */
  readonly width: number
  readonly spread: number
}

/**
 * The standard error of a percentile: the spread of its rank, √(p(1−p)/n), divided by the density there, which two
 * percentiles around it estimate (M. M. Siddiqui, 1960).
 */
export function percentileError({ count, level, width, spread }: PercentileSample): number {
  return Math.sqrt((level * (1 - level)) / count) * (spread / width)
}

/** Of two shares: the standard error is that of their common share. */
function shareDifference(a: Measured, b: Measured): Difference {
  const value = b.failed / b.count - a.failed / a.count
  if (Math.min(a.count, b.count) < FEWEST.share) return { value, verdict: "too_few" }
  const common = (a.failed + b.failed) / (a.count + b.count)
  return { value, verdict: verdictOf(value, Math.sqrt(common * (1 - common) * (1 / a.count + 1 / b.count))) }
}

/** How often something happens in a trace. A count has about the standard error of its square root. */
export function rateDifference(a: PerTrace, b: PerTrace): Difference {
  const [before, after] = [a.count / a.traces, b.count / b.traces]
  const value = after - before
  if (Math.min(a.traces, b.traces) < FEWEST.share) return { value, verdict: "too_few" }
  const matters = Math.abs(value) >= before * CHANGE_SHARE
  const error = Math.hypot(Math.sqrt(a.count) / a.traces, Math.sqrt(b.count) / b.traces)
  return { value, verdict: matters ? verdictOf(value, error) : "within_noise" }
}

/** Of events in two windows of equal length. */
export function countDifference(before: number, after: number): Difference {
  const value = after - before
  if (before + after < FEWEST.share) return { value, verdict: "too_few" }
  const matters = Math.abs(value) >= before * CHANGE_SHARE
  return { value, verdict: matters ? verdictOf(value, Math.sqrt(before + after)) : "within_noise" }
}

interface PerTrace {
  readonly count: number
  readonly traces: number
}

function verdictOf(value: number, error: number): Verdict {
  if (value === 0 || Math.abs(value) <= STANDARD_ERRORS * error) return "within_noise"
  return value > 0 ? "higher" : "lower"
}

/** Rows that differ beyond chance come first, and rows of one side where there are enough of them. */
export function isNotable({ a, b, difference }: Compared, ...more: readonly Difference[]): boolean {
  if (difference === null) return (a?.count ?? b?.count ?? 0) >= FEWEST.p50
  const { p50, p95, failedShare } = difference
  return [p50, p95, failedShare, ...more].some(({ verdict }) => verdict === "higher" || verdict === "lower")
}
