import type { LossCategory, LossReason, LossRecord, LossStage } from "../model/loss.ts"
import type { Nanoseconds } from "../model/time.ts"
import type { Steps } from "./time-range.ts"

export interface LossScope {
  readonly from: Nanoseconds
  readonly until: Nanoseconds
  readonly stage?: LossStage | undefined
  readonly reason?: LossReason | undefined
}

export interface LossQuery extends LossScope {
  /** At most this many records. */
  readonly limit: number
  /** Cursor from a previous answer's `next`. */
  readonly after?: string | undefined
}

/** Newest first. */
export interface LossPage {
  readonly losses: readonly LossRecord[]
  readonly next: string | undefined
}

/** All losses of one stage, reason and category in a window of time. */
export interface LossGroup {
  readonly stage: LossStage
  readonly reason: LossReason
  readonly category: LossCategory
  /** Records lost. */
  readonly count: number
  readonly lastTime: Nanoseconds
  /** Different samples, the latest ones. */
  readonly samples: readonly string[]
}

export interface LossOverview {
  /** The largest first. */
  readonly groups: readonly LossGroup[]
  /** Records lost at each step, by reason. */
  readonly trend: ReadonlyMap<LossReason, readonly number[]>
}

/** What screens and the read API ask of the store about losses. Rejects with `StoreUnavailable` while it is away. */
export interface LossReader {
  pageLosses(query: LossQuery): Promise<LossPage>
  overviewLosses(scope: LossScope, steps: Steps): Promise<LossOverview>
}
