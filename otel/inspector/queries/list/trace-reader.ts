import type { SpanId, TraceId } from "../../../protocol/records/ids.ts"
import type { SpanRecord, SpanSource } from "../../../protocol/records/span.ts"
import type { Nanoseconds } from "../../../protocol/records/time.ts"
import type { FilterTree } from "../../search/index.ts"
import type { PeerTrace, SpanPeers } from "../trace/span-peers.ts"
import type { AttributeTerm } from "../trace/span-search.ts"
import type { TraceOutline } from "../trace/trace-outline.ts"
import type { AppStart, EntryStats, KnownValue, ServiceActivity } from "./entry-stats.ts"
import type { Run, RunCopy } from "./run.ts"
import type { SpanFacets, TimeSteps, TraceOverview } from "./trace-overview.ts"
import type { TraceList } from "./trace-summary.ts"

/** What screens and the read API ask of the store. Rejects with `StoreUnavailable` while the store is away. */
export interface TraceReader {
  listTraces(query: TraceListQuery): Promise<TraceList>
  /** How many traces there are of a scope, when they began, the last of them before now, and of which services. */
  overviewTraces(scope: TraceScope, nowMs: number): Promise<TraceOverview>
  /** What spans of the traces of a scope have, the most frequent first. */
  readSpanFacets(scope: TraceScope): Promise<SpanFacets>
  /** What the entries of each route took, over the traces of a scope; by step of time where steps are given. */
  entryStats(scope: ActivityScope, steps?: TimeSteps): Promise<readonly EntryStats[]>
  /** In how many of a scope's traces each service took part, the busiest first. */
  serviceActivity(scope: ActivityScope, steps: TimeSteps): Promise<readonly ServiceActivity[]>
  /** Names of the attributes that stored spans have, the most frequent first. */
  knownAttributes(): Promise<readonly KnownValue[]>
  /** What a field or attribute can be, the most frequent first, of what contains the text. */
  knownValues(field: string, text: string): Promise<readonly KnownValue[]>
  /** Starts of apps that told themselves apart, the latest first. */
  appStarts(): Promise<readonly AppStart[]>
  /** Kept runs, the latest first. */
  listRuns(): Promise<readonly Run[]>
  /** What is kept of runs beyond the age and size of all else; none of a run that has nothing yet. */
  listCopies(): Promise<readonly RunCopy[]>
  /** All spans of the trace by start time; empty when the trace is unknown. */
  readTrace(traceId: TraceId): Promise<readonly SpanRecord[]>
  /** What its waterfall is laid out from; `undefined` when the trace is unknown. */
  readOutline(traceId: TraceId): Promise<TraceOutline | undefined>
  /** One span as each protocol told it, OTLP first; empty when it is unknown. */
  readSpan(traceId: TraceId, spanId: SpanId): Promise<readonly SpanRecord[]>
  /** Some spans of a trace, each once; those that are unknown are left out. */
  readSpans(traceId: TraceId, spanIds: readonly SpanId[]): Promise<readonly SpanRecord[]>
  /** Ids of the spans with attributes that fit all terms, joined: 16 digits each. */
  searchSpans(traceId: TraceId, terms: readonly AttributeTerm[]): Promise<string>
  /** How a duration compares with those of the spans of the same service and name. */
  readPeers(like: { service: string; name: string; duration: Nanoseconds }): Promise<SpanPeers>
  /** The newest other traces that begin with a span of the same service and name. */
  listPeerTraces(like: { service: string; name: string; except: TraceId }, limit: number): Promise<readonly PeerTrace[]>
  /** What went wrong in a trace, by time. */
  listTraceErrors(traceId: TraceId): Promise<readonly TraceError[]>
  /** Spans that link to a span, the newest first. */
  readBackLinks(traceId: TraceId, spanId: SpanId): Promise<readonly BackLink[]>
}

/** An error event where it happened in a trace. */
export interface TraceError {
  readonly eventId: string
  readonly issueId: string
  /** Empty where no span is named. */
  readonly spanId: string
  readonly time: Nanoseconds
  readonly title: string
  readonly source: SpanSource
}

export interface BackLink {
  readonly traceId: string
  readonly spanId: string
  readonly name: string
  readonly service: string
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

/** Without a filter, spans count by their own time rather than by their trace's. */
export interface ActivityScope extends TraceScope {
  /** Services whose spans do not count. */
  readonly withoutServices?: readonly string[] | undefined
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
