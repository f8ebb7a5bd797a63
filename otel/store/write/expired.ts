import type { LossCategory } from "../../model/loss.ts"
import type { Nanoseconds } from "../../model/time.ts"
import type { ClickHouse } from "../clickhouse.ts"
import { insertLosses } from "./insert-losses.ts"

export interface Retention {
  /** What happened before this would be gone at once: it is counted as expired instead. */
  readonly oldest: Nanoseconds
  readonly now: Nanoseconds
}

/** Counts as lost what is not stored for its age. */
export async function countExpired(
  clickhouse: ClickHouse,
  category: LossCategory,
  count: number,
  batchId: string,
  { now }: Retention,
): Promise<void> {
  if (count === 0) return
  const sample = "records older than the retention"
  const loss = { time: now, stage: "store", reason: "expired", category, count, sample } as const
  await insertLosses(clickhouse, [loss], `${batchId}/expired ${category}`)
}
