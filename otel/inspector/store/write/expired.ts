import type { DropCategory } from "../../../protocol/records/drop.ts"
import type { Nanoseconds } from "../../../protocol/records/time.ts"
import type { ClickHouse } from "../clickhouse.ts"
import { insertDrops } from "./insert-drops.ts"

export interface Retention {
  /** What happened before this would be gone at once: it is counted as expired instead. */
  readonly oldest: Nanoseconds
  readonly now: Nanoseconds
}

/** Counts as lost what is not stored for its age. */
export async function countExpired(
  clickhouse: ClickHouse,
  category: DropCategory,
  count: number,
  batchId: string,
  { now }: Retention,
): Promise<void> {
  if (count === 0) return
  const sample = "records older than the retention"
  const drop = { time: now, stage: "store", reason: "expired", category, count, sample } as const
  await insertDrops(clickhouse, [drop], `${batchId}/expired ${category}`)
}
