import type { LossCategory, LossReason, LossRecord, LossStage } from "../../model/loss.ts"
import { fromNanosText, toTimestampText } from "./timestamp.ts"

export function toLossRow(loss: LossRecord, batch: string, position: number): object {
  return {
    Time: toTimestampText(loss.time),
    Stage: loss.stage,
    Reason: loss.reason,
    Category: loss.category,
    Count: String(loss.count),
    Sample: loss.sample,
    Batch: batch,
    Position: position,
  }
}

/** A row of `pagespan_losses` as the statement below selects it. */
export interface LossRow {
  readonly time: string
  readonly stage: string
  readonly reason: string
  readonly category: string
  readonly count: string
  readonly sample: string
}

export const LOSS_ROW_COLUMNS = `
  toString(toUnixTimestamp64Nano(Time)) AS time, Stage AS stage, Reason AS reason, Category AS category,
  toString(Count) AS count, Sample AS sample`

/** Only `toLossRow` writes this table, so its words are of our unions. */
export function toLossRecord(row: LossRow): LossRecord {
  return {
    time: fromNanosText(row.time),
    stage: row.stage as LossStage,
    reason: row.reason as LossReason,
    category: row.category as LossCategory,
    count: Number(row.count),
    sample: row.sample,
  }
}
