import {
  CLIENT_STAGES,
  type DropCategory,
  type DropReason,
  type DropRecord,
  type DropSender,
  type DropStage,
} from "../../../protocol/records/drop.ts"
import { fromNanosText, toTimestampText } from "./stored-values.ts"

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
    Sender: drop.sender,
  }
}

/** A row of `pagespan_dropped` as the columns below select it. */
export interface DropRow {
  readonly time: string
  readonly stage: string
  readonly sender: string
  readonly reason: string
  readonly category: string
  readonly count: string
  readonly sample: string
}

const STAGES = CLIENT_STAGES.map((stage) => `'${stage}'`).join(", ")
/** Rows from before schema version 10 have no sender. A constant of the sources, not a value of a request. */
export const DROP_SENDER = `if(Sender != '', Sender, if(Stage IN (${STAGES}), 'client', 'inspector'))`

export const DROP_ROW_COLUMNS = `
  toString(toUnixTimestamp64Nano(Time)) AS time, Stage AS stage, ${DROP_SENDER} AS sender, Reason AS reason, Category AS category,
  toString(Count) AS count, Sample AS sample`

/** Only `toDropRow` writes this table, so the casts are safe. */
export function toDropRecord(row: DropRow): DropRecord {
  return {
    time: fromNanosText(row.time),
    stage: row.stage as DropStage,
    sender: row.sender as DropSender,
    reason: row.reason as DropReason,
    category: row.category as DropCategory,
    count: Number(row.count),
    sample: row.sample,
  }
}
