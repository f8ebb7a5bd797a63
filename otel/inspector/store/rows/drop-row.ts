import type { DropCategory, DropReason, DropRecord, DropStage } from "../../../protocol/records/drop.ts"
import { fromNanosText, toTimestampText } from "./timestamp.ts"

export function toDropRow(drop: DropRecord, batch: string, position: number): object {
  return {
    Time: toTimestampText(drop.time),
    Stage: drop.stage,
    Reason: drop.reason,
    Category: drop.category,
    Count: String(drop.count),
    Sample: drop.sample,
    Batch: batch,
    Position: position,
  }
}

/** A row of `pagespan_dropped` as the columns below select it. */
export interface DropRow {
  readonly time: string
  readonly stage: string
  readonly reason: string
  readonly category: string
  readonly count: string
  readonly sample: string
}

export const DROP_ROW_COLUMNS = `
  toString(toUnixTimestamp64Nano(Time)) AS time, Stage AS stage, Reason AS reason, Category AS category,
  toString(Count) AS count, Sample AS sample`

/** Only `toDropRow` writes this table, so the casts are safe. */
export function toDropRecord(row: DropRow): DropRecord {
  return {
    time: fromNanosText(row.time),
    stage: row.stage as DropStage,
    reason: row.reason as DropReason,
    category: row.category as DropCategory,
    count: Number(row.count),
    sample: row.sample,
  }
}
