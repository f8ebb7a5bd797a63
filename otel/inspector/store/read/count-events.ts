import type { Nanoseconds } from "../../../protocol/records/time.ts"
import type { Steps } from "../../queries/list/time-range.ts"
import type { ClickHouse } from "../clickhouse.ts"
import { readLimits } from "./limits.ts"

const LIMITS = readLimits({ seconds: 10, rows: 200_000 })

/** Distinct events of each issue at each step. */
export async function countEvents(
  clickhouse: ClickHouse,
  issueIds: readonly string[],
  steps: Steps,
  oldest: Nanoseconds,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const rows = await clickhouse.select<{ issueId: string; step: number; count: number }>(
    `SELECT IssueId AS issueId, toInt32(intDiv(toUnixTimestamp64Milli(Time) - {from:Int64}, {step:Int64})) AS step,
      toUInt32(uniqExact(EventId)) AS count
    FROM pagespan_errors
    WHERE IssueId IN {issueIds:Array(String)} AND Time >= fromUnixTimestamp64Nano({oldest:Int64})
      AND Time >= fromUnixTimestamp64Milli({from:Int64})
    GROUP BY issueId, step ${LIMITS}`,
    { issueIds, from: String(steps.fromMs), step: String(steps.stepMs), oldest: String(oldest) },
  )
  const counts = new Map<string, number[]>()
  for (const { issueId, step, count } of rows) {
    const known = counts.get(issueId) ?? Array.from<number>({ length: steps.count }).fill(0)
    if (step in known) known[step] = count
    counts.set(issueId, known)
  }
  return counts
}
