import type { TraceId } from "../model/ids.ts"
import type { SpanRecord } from "../model/span.ts"
import type { Nanoseconds } from "../model/time.ts"
import type { TraceList } from "../model/trace-summary.ts"
import type { FilterTree } from "./filter/index.ts"

/** What screens and the read API ask of the store. Rejects with `StoreUnavailable` while the store is away. */
export interface TraceReader {
  listTraces(query: TraceListQuery): Promise<TraceList>
  /** All spans of the trace by start time; empty when the trace is unknown. */
  readTrace(traceId: TraceId): Promise<readonly SpanRecord[]>
}

/** Which traces are asked for: those that began in a window of time and pass a filter. */
export interface TraceScope {
  /** Only traces that a span of this service belongs to. */
  readonly service?: string | undefined
  /** Only traces that began at or after this time. */
  readonly since?: Nanoseconds | undefined
  /** Only traces that began before this time. */
  readonly until?: Nanoseconds | undefined
  readonly filter?: FilterTree | undefined
}

export interface TraceListQuery extends TraceScope {
  /** At most this many traces. */
  readonly limit: number
  /** Cursor from a previous answer's `next`, of the same scope and order. */
  readonly after?: string | undefined
  /** Default: the latest first. */
  readonly order?: TraceOrder | undefined
}

export const TRACE_ORDERS = ["time", "duration", "spans", "errors"] as const

export interface TraceOrder {
  readonly by: (typeof TRACE_ORDERS)[number]
  /** The smallest first. */
  readonly isAscending: boolean
}
