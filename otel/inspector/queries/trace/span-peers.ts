import type { TraceId } from "../../../protocol/records/ids.ts"
import type { Nanoseconds } from "../../../protocol/records/time.ts"

/** Spans of the same service and name within the retention, including the span itself. Times in nanoseconds. */
export interface SpanPeers {
  readonly count: number
  /** Spans that are shorter. */
  readonly below: number
  readonly p50: Nanoseconds
  readonly p95: Nanoseconds
  readonly slowest: Nanoseconds
  /** The numbers cover only the newest spans. */
  readonly isCapped: boolean
}

export interface PeerTrace {
  readonly traceId: TraceId
  readonly startTime: Nanoseconds
  readonly duration: Nanoseconds
}

/** A percentile among fewer spans means nothing. */
const FEWEST_PEERS = 5

/** Percentage of the other spans that are shorter; `undefined` for too few spans. */
export function percentileOf({ count, below }: Pick<SpanPeers, "count" | "below">): number | undefined {
  return count < FEWEST_PEERS ? undefined : Math.floor((below / (count - 1 || 1)) * 100)
}
