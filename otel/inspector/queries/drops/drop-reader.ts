import type { DropCategory, DropReason, DropRecord, DropSender, DropStage } from "../../../protocol/records/drop.ts"
import type { Nanoseconds } from "../../../protocol/records/time.ts"
import type { Steps } from "../list/time-range.ts"

/** The store's queries about dropped data. Methods reject with `StoreUnavailable` while the store is unavailable. */
export interface DropReader {
  pageDrops(query: DropQuery): Promise<DropPage>
  overviewDrops(scope: DropScope, steps: Steps): Promise<DropOverview>
}

export interface DropScope {
  readonly from: Nanoseconds
  readonly until: Nanoseconds
  readonly stage?: DropStage | undefined
  readonly reason?: DropReason | undefined
}

export interface DropQuery extends DropScope {
  /** At most this many records. */
  readonly limit: number
  /** Cursor: `next` of the previous page. */
  readonly after?: string | undefined
}

/** Newest first. */
export interface DropPage {
  readonly drops: readonly DropRecord[]
  /** Cursor of the following page; `undefined` on the last one. */
  readonly next: string | undefined
}

/** All drops of one stage, sender, reason and category in a time window. */
export interface DropGroup {
  readonly stage: DropStage
  readonly sender: DropSender
  readonly reason: DropReason
  readonly category: DropCategory
  /** Records dropped. */
  readonly count: number
  readonly lastTime: Nanoseconds
  /** The latest distinct samples. */
  readonly samples: readonly string[]
}

/** A drop in a recording. */
export type RecordedDrop = Pick<DropGroup, "stage" | "reason" | "category" | "count">

/** The field of a recording's last line that holds its drops. Receivers of OTLP/JSON ignore fields that OTLP does not have. */
export const DROPPED_FIELD = "pagespan.dropped"

export interface DropOverview {
  /** Largest first. */
  readonly groups: readonly DropGroup[]
  /**
   * Records dropped at each step, by reason: those that the inspector measured, or those of the stage in scope. What clients
   * report would dwarf them, since nobody can check it.
   */
  readonly trend: ReadonlyMap<DropReason, readonly number[]>
}

/** A drop record as `GET /api/dropped` answers it. */
export interface DropJson {
  /** Nanoseconds since the epoch. */
  time: string
  stage: string
  reason: string
  category: string
  count: number
  sample: string
  sender: DropSender
}

export function dropToJson({ time, stage, sender, reason, category, count, sample }: DropRecord): DropJson {
  return { time: String(time), stage, reason, category, count, sample, sender }
}
