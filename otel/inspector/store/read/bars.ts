import type { TimeSteps } from "../../queries/list/trace-overview.ts"
import type { SqlBuilder } from "./context.ts"

/** Counts of one row by step: steps without a count are absent. */
export type Bars = readonly [indexes: readonly number[], counts: readonly number[]]

/** Index of the step of a time. A time outside the steps is in the first or the last. */
export function stepSql(time: string, steps: TimeSteps, sql: SqlBuilder): string {
  const length = sql.bind(BigInt(steps.stepMs) * 1_000_000n, "Int64")
  const since = `toInt64(toUnixTimestamp64Nano(${time})) - ${sql.bind(steps.from, "Int64")}`
  const last = sql.bind(steps.count - 1, "UInt32")
  return `toUInt32(least(greatest(intDiv(${since}, ${length}), 0), ${last}))`
}

/** Rows of a group by step, as {@link Bars}; with a condition, only those that meet it. */
export function barsSql(time: string, steps: TimeSteps | undefined, sql: SqlBuilder, where = "true"): string {
  if (steps === undefined) return "([]::Array(UInt32), []::Array(UInt32))"
  return `sumMapIf([${stepSql(time, steps, sql)}], [toUInt32(1)], ${where})`
}

/** One count for each step. */
export function spread([indexes, counts]: Bars, steps: TimeSteps | undefined): number[] {
  const bars = Array.from({ length: steps?.count ?? 0 }, () => 0)
  indexes.forEach((index, position) => (bars[index] = Number(counts[position] ?? 0)))
  return bars
}
