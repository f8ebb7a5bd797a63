import type { SpanId, TraceId } from "../../../protocol/records/ids.ts"
import type { SpanRecord, SpanSource } from "../../../protocol/records/span.ts"
import type { Nanoseconds } from "../../../protocol/records/time.ts"
import type { FilterTree } from "../../search/index.ts"
import type { GenAiSpans } from "../gen-ai/gen-ai-call.ts"
import type { PeerTrace, SpanPeers } from "../trace/span-peers.ts"
import type { AttributeTerm } from "../trace/span-search.ts"
import type { TraceOutline } from "../trace/trace-outline.ts"
import type { Differences } from "./differences.ts"
import type { TraceHeatmap } from "./heatmap.ts"
import type { AppStart, EntryStats, KnownValue, ServiceActivity } from "./entry-stats.ts"
import type { Run, RunCopy } from "./run.ts"
import type { FacetValue, SpanFacets, TimeSteps, TraceFigures, TraceOverview } from "./trace-overview.ts"
import type { TraceList } from "./trace-summary.ts"

/** The store's queries about traces. Methods reject with `StoreUnavailable` while the store is unavailable. */
export interface TraceReader {
  listTraces(query: TraceListQuery): Promise<TraceList>
  /** How many traces a scope has until now, when they began, and of which services. */
  overviewTraces(scope: TraceScope, nowMs: number): Promise<TraceOverview>
  /** How many traces a scope has, how many of them failed, and how long they took. */
  measureTraces(scope: TraceScope): Promise<TraceFigures>
  /** The traces of a scope by start time and duration. */
  readHeatmap(scope: TraceScope, steps: TimeSteps): Promise<TraceHeatmap>
  /** The attributes and values that occur more often in some traces of a scope than in the others. */
  readDifferences(query: DifferenceQuery): Promise<Differences>
  /** Values of spans of a scope's traces, most frequent first. */
  readSpanFacets(scope: TraceScope): Promise<SpanFacets>
  /** How many traces of a scope lack their root, and how many the parent of a span. */
  readMissing(scope: TraceScope): Promise<readonly FacetValue[]>
  /** Durations and failures of each route's entries in a scope; by time step where steps are given. */
  entryStats(scope: ActivityScope, steps?: TimeSteps): Promise<readonly EntryStats[]>
  /** How many of a scope's traces each service took part in, busiest first. */
  serviceActivity(scope: ActivityScope, steps: TimeSteps): Promise<readonly ServiceActivity[]>
  /** Names of span attributes, most frequent first. */
  knownAttributes(): Promise<readonly KnownValue[]>
  /** Values of a field or attribute that contain the text, most frequent first. */
  knownValues(field: string, text: string): Promise<readonly KnownValue[]>
  /** Whether a span of a service other than these is stored. */
  hasOtherServices(services: readonly string[]): Promise<boolean>
  /** Instances of apps that report `service.instance.id` or `pagespan.run`, latest first. */
  appStarts(): Promise<readonly AppStart[]>
  /** Retained runs, latest first. */
  listRuns(): Promise<readonly Run[]>
  /** What the store retains of each run; runs without a copied trace are left out. */
  listCopies(): Promise<readonly RunCopy[]>
  /** All spans of the trace by start time; empty when the trace is unknown. */
  readTrace(traceId: TraceId): Promise<readonly SpanRecord[]>
  /** All spans of some traces, each once, trace by trace: for traces that are small together. */
  readTraces(traceIds: readonly TraceId[]): Promise<readonly SpanRecord[]>
  /** What the waterfall layout needs; `undefined` when the trace is unknown. */
  readOutline(traceId: TraceId): Promise<TraceOutline | undefined>
  /** Stored spans of a trace, each once; 0 when the trace is unknown. */
  countSpans(traceId: TraceId): Promise<number>
  /** A span as each protocol reported it, OTLP first; empty when the span is unknown. */
  readSpan(traceId: TraceId, spanId: SpanId): Promise<readonly SpanRecord[]>
  /** Some spans of a trace, each once. Unknown ids are left out. */
  readSpans(traceId: TraceId, spanIds: readonly SpanId[]): Promise<readonly SpanRecord[]>
  /** What the calls to generative models of a trace used, and the results of its tools. */
  readGenAi(traceId: TraceId): Promise<GenAiSpans>
  /** Ids of the spans whose attributes match all terms, joined: 16 digits each. */
  searchSpans(traceId: TraceId, terms: readonly AttributeTerm[]): Promise<string>
  /** How a duration compares with those of spans of the same service and name. */
  readPeers(like: { service: string; name: string; duration: Nanoseconds }): Promise<SpanPeers>
  /** The newest other traces that begin with a span of the same service and name. */
  listPeerTraces(like: { service: string; name: string; except: TraceId }, limit: number): Promise<readonly PeerTrace[]>
  /** Error events of a trace, by time. */
  listTraceErrors(traceId: TraceId): Promise<readonly TraceError[]>
  /** Spans that link to a span, newest first. */
  readBackLinks(traceId: TraceId, spanId: SpanId): Promise<readonly BackLink[]>
}

/** An error event and its place in a trace. */
export interface TraceError {
  readonly eventId: string
  readonly issueId: string
  /** Empty when the event names no span. */
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

/** Traces that began in a time window and match a filter. */
export interface TraceScope {
  /** Only traces with a span of this service. */
  readonly service?: string | undefined
  /** Only traces that began at or after this time. */
  readonly since?: Nanoseconds | undefined
  /** Only traces that began before this time. */
  readonly until?: Nanoseconds | undefined
  readonly filter?: FilterTree | undefined
}

/** The traces of the baseline are compared by whether they are in the selection too. */
export interface DifferenceQuery {
  readonly selection: TraceScope
  readonly baseline: TraceScope
  /** Fields and attributes that are left out. */
  readonly without: ReadonlySet<string>
}

/** Without a filter, spans count by their own time rather than by the time of their trace. */
export interface ActivityScope extends TraceScope {
  /** Services whose spans are excluded. */
  readonly withoutServices?: readonly string[] | undefined
}

export interface TraceListQuery extends TraceScope {
  /** At most this many traces. */
  readonly limit: number
  /** Cursor: `next` of the previous page, of the same scope and order. */
  readonly after?: string | undefined
  /** Default: latest first. */
  readonly order?: TraceOrder | undefined
}

export const TRACE_ORDERS = ["time", "duration", "spans", "errors"] as const

export interface TraceOrder {
  readonly by: (typeof TRACE_ORDERS)[number]
  /** Smallest first. */
  readonly isAscending: boolean
}

/** Reads an order as URLs have it: `duration` is the longest first, `duration-asc` the shortest. `undefined` for other text. */
export function parseTraceOrder(text: string): TraceOrder | undefined {
  const isAscending = text.endsWith("-asc")
  const by = TRACE_ORDERS.find((known) => known === text.replace(/-asc$/, ""))
  return by === undefined ? undefined : { by, isAscending }
}
