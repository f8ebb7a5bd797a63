import type { TraceId } from "../model/ids.ts"
import type { SpanRecord } from "../model/span.ts"
import type { TraceList, TraceListQuery } from "../model/trace-summary.ts"

/** What screens and the read API ask of the store. Rejects with `StoreUnavailable` while the store is away. */
export interface TraceReader {
  listTraces(query: TraceListQuery): Promise<TraceList>
  /** All spans of the trace by start time; empty when the trace is unknown. */
  readTrace(traceId: TraceId): Promise<readonly SpanRecord[]>
}
