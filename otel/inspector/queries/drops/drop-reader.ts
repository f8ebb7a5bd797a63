import type { DropCategory, DropReason, DropRecord, DropStage } from "../../../protocol/records/drop.ts"
import type { Nanoseconds } from "../../../protocol/records/time.ts"
import type { Steps } from "../list/time-range.ts"

export interface DropScope {
  readonly from: Nanoseconds
  readonly until: Nanoseconds
  readonly stage?: DropStage | undefined
  readonly reason?: DropReason | undefined
}

export interface DropQuery extends DropScope {
  /** At most this many records. */
  readonly limit: number
  /** Cursor from a previous answer's `next`. */
  readonly after?: string | undefined
}

/** Newest first. */
export interface DropPage {
  readonly drops: readonly DropRecord[]
  readonly next: string | undefined
}

/** All drops of one stage, reason and category in a window of time. */
export interface DropGroup {
  readonly stage: DropStage
  readonly reason: DropReason
  readonly category: DropCategory
  /** Records lost. */
  readonly count: number
  readonly lastTime: Nanoseconds
  /** Different samples, the latest ones. */
  readonly samples: readonly string[]
}

export interface DropOverview {
  /** The largest first. */
  readonly groups: readonly DropGroup[]
  /** Records lost at each step, by reason. */
  readonly trend: ReadonlyMap<DropReason, readonly number[]>
}

/** What screens and the read API ask of the store about drops. Rejects with `StoreUnavailable` while it is away. */
export interface DropReader {
  pageDrops(query: DropQuery): Promise<DropPage>
  overviewDrops(scope: DropScope, steps: Steps): Promise<DropOverview>
}
