import { STANDARD_ERRORS } from "../compare/comparison.ts"
import type { Limit } from "./budget-file.ts"
import { type Distribution, errorAt, fewestFor, type Percentile, valueAt } from "./distribution.ts"

/** Whether measured values are within a limit. */

export const BUDGET_VERDICTS = ["fail", "undecided", "pass"] as const
export type BudgetVerdict = (typeof BUDGET_VERDICTS)[number]

export interface Judgement {
  readonly verdict: BudgetVerdict
  /** Why it is undecided or failed, in a sentence; empty for `pass`. */
  readonly reason: string
  /** What was measured; `null` without a sample. */
  readonly value: number | null
  /** The largest value that passes; `null` where the baseline has none. */
  readonly bound: number | null
  readonly samples: number
  /** What the baseline measured, of a relative limit. */
  readonly baseline: { readonly value: number; readonly samples: number } | null
  /** The interval of the change against the baseline, as shares of its value: 0.1 is 10 % more. */
  readonly change: { readonly value: number; readonly low: number; readonly high: number } | null
  /** Samples on either side that would probably decide; `null` where none or unknown. */
  readonly samplesNeeded: number | null
}

const NOTHING = { value: null, bound: null, baseline: null, change: null, samplesNeeded: null } as const

export function withoutSamples(reason: string): Judgement {
  return { ...NOTHING, verdict: "undecided", reason, samples: 0 }
}

/** A number of failures, or their share. More failures than the limit are too many, however few samples there are. */
export function judgeFailures(limit: Limit, value: number, samples: number, minSamples: number): Judgement {
  const judgement = judgeNumber(limit, value, samples)
  if (samples >= minSamples || (limit.stat === "max" && judgement.verdict === "fail")) return judgement
  return { ...judgement, verdict: "undecided", reason: fewerThan(samples), samplesNeeded: minSamples }
}

function fewerThan(samples: number): string {
  return `${samples} samples are fewer than minSamples`
}

/** A number against an absolute limit. */
export function judgeNumber(limit: Limit, value: number, samples: number): Judgement {
  const bound = limit.bound.is === "absolute" ? limit.bound.value : null
  const isWithin = bound !== null && value <= bound
  return {
    ...NOTHING,
    verdict: isWithin ? "pass" : "fail",
    reason: isWithin ? "" : "over the limit",
    value,
    bound,
    samples,
  }
}

/** @param baseline the same figure of the baseline, for a relative limit. */
export function judge(
  limit: Limit,
  current: Distribution,
  baseline: Distribution | undefined,
  minSamples: number,
): Judgement {
  const { stat, bound } = limit
  if (stat === "share") return withoutSamples("a share has no distribution")
  const value = valueAt(current, stat)
  const few = (reason: string, needed: number): Judgement => ({
    ...withoutSamples(reason),
    value,
    samples: current.count,
    baseline:
      baseline === undefined || stat === "max" ? null : { value: valueAt(baseline, stat), samples: baseline.count },
    samplesNeeded: needed,
  })
  if (current.count < minSamples) return few(fewerThan(current.count), minSamples)
  if (bound.is === "absolute" || stat === "max") return judgeNumber(limit, value, current.count)
  const fewest = Math.max(minSamples, fewestFor(stat))
  if (baseline === undefined || baseline.count === 0) return few("there is no sample of a baseline", fewest)
  if (Math.min(current.count, baseline.count) < fewest)
    return few(`too few samples to compare: ${current.count} and ${baseline.count} of at least ${fewest}`, fewest)
  return judgeChange({ stat, factor: bound.factor, current, baseline })
}

interface Change {
  readonly stat: Percentile
  readonly factor: number
  readonly current: Distribution
  readonly baseline: Distribution
}

/**
 * Compares with a multiple of the baseline: passes or fails only where three standard errors of the difference do not reach
 * the limit. The standard error shrinks with the square root of the samples, which says how many would decide.
 */
function judgeChange({ stat, factor, current, baseline }: Change): Judgement {
  const [value, before] = [valueAt(current, stat), valueAt(baseline, stat)]
  const margin = STANDARD_ERRORS * Math.hypot(errorAt(current, stat), factor * errorAt(baseline, stat))
  const over = value - before * factor
  const verdict = Math.abs(over) < margin ? "undecided" : over > 0 ? "fail" : "pass"
  const samples = Math.min(current.count, baseline.count)
  const needed = over === 0 ? null : Math.ceil(samples * (margin / over) ** 2)
  const reasons = {
    pass: "",
    fail: "over the limit, beyond chance",
    undecided:
      needed === null
        ? "exactly at the limit: no number of samples decides"
        : `within chance of the limit: about ${needed} samples of each side would decide`,
  }
  const share = (difference: number) => (before === 0 ? 0 : difference / before)
  const change = value - before
  return {
    verdict,
    reason: reasons[verdict],
    value,
    bound: before * factor,
    samples: current.count,
    baseline: { value: before, samples: baseline.count },
    change: before === 0 ? null : { value: share(change), low: share(change - margin), high: share(change + margin) },
    samplesNeeded: verdict === "undecided" ? needed : null,
  }
}
