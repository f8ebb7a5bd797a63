import type { TraceId } from "../../../protocol/records/ids.ts"
import type { Nanoseconds } from "../../../protocol/records/time.ts"

/** The spans of the same service and name within the retention, the span itself among them. Times in nanoseconds. */
export interface SpanPeers {
  readonly count: number
  /** How many of them are shorter than the span. */
  readonly below: number
  readonly p50: Nanoseconds
  readonly p95: Nanoseconds
  readonly slowest: Nanoseconds
  /** There are more; these are the newest. */
  readonly isCapped: boolean
}

export interface PeerTrace {
  readonly traceId: TraceId
  readonly startTime: Nanoseconds
  readonly duration: Nanoseconds
}

/** Fewer spans than this say nothing about where one stands among them. */
const FEWEST_PEERS = 5

/** Percent of its like that are shorter, or `undefined` while there are too few of them. */
export function percentileOf({ count, below }: Pick<SpanPeers, "count" | "below">): number | undefined {
  return count < FEWEST_PEERS ? undefined : Math.floor((below / (count - 1 || 1)) * 100)
}
