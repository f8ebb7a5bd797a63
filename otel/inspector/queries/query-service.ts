import type { ErrorEvent } from "../../protocol/records/error.ts"
import type { SpanId, TraceId } from "../../protocol/records/ids.ts"
import type { RunRegistry } from "../run-registry.ts"
import type { SourceMaps } from "../source-maps/source-maps.ts"
import type { BudgetReader } from "./budgets/budget-reader.ts"
import type { Budgets } from "./budgets/budget-file.ts"
import { type BudgetScope, judgeBudgets } from "./budgets/budgets.ts"
import type { DropReader } from "./drops/drop-reader.ts"
import type { EnvelopeItemReader } from "./errors/envelope-items.ts"
import type { ErrorReader } from "./errors/error-reader.ts"
import { mapExceptions, type MappedIssue, mapIssue } from "./errors/mapped-issue.ts"
import { compareScopes, type Comparison } from "./compare/compare.ts"
import type { CompareReader } from "./compare/compare-reader.ts"
import { withChanges } from "./compare/route-changes.ts"
import type { KnownValue } from "./list/entry-stats.ts"
import type { ActivityScope, TraceReader } from "./list/trace-reader.ts"
import { readGenAiView } from "./gen-ai/gen-ai-view.ts"
import type { LogReader } from "./logs/log-reader.ts"
import type { QueryCache } from "./query-cache.ts"
import { type RecordingCounts, recordingLines } from "./recording/recording.ts"
import type { RouteList, RouteReader, RouteScope } from "./routes/route-reader.ts"
import type { ServiceReader } from "./services/service-reader.ts"
import type { SessionReader } from "./sessions/session-reader.ts"
import { readInBatches } from "./trace/span-batches.ts"
import { onlyOne, readSpanContext, type SpanContext } from "./trace/span-context.ts"
import { readSubtreeText } from "./trace/subtree-text.ts"
import { readTraceView, type RecentTraceViews, type TraceView } from "./trace/trace-view.ts"

/** The store's queries. Methods reject with `StoreUnavailable` while the store is unavailable. */
export interface StoreReader
  extends
    TraceReader,
    ErrorReader,
    RouteReader,
    ServiceReader,
    SessionReader,
    CompareReader,
    BudgetReader,
    DropReader,
    EnvelopeItemReader,
    LogReader {}

export interface QuerySources {
  /** Queries with a signal end in ClickHouse when it aborts, and reject with `QueryCancelled`. */
  readonly reader: (signal?: AbortSignal) => StoreReader
  readonly runs: RunRegistry
  readonly cache: QueryCache
  readonly recentViews: RecentTraceViews
  readonly sourceMaps: SourceMaps | undefined
}

/**
 * Everything that the read API, MCP and the screens query: typed parameters in, records out. Methods reject with
 * `StoreUnavailable` while the store is unavailable, and with `QueryCancelled` once the service's signal aborts.
 */
export class QueryService {
  readonly #sources: QuerySources
  readonly #signal: AbortSignal | undefined
  readonly #reader: StoreReader

  constructor(sources: QuerySources, signal?: AbortSignal) {
    this.#sources = sources
    this.#signal = signal
    this.#reader = sources.reader(signal)
  }

  /** The same queries, which end in the store when the signal aborts. */
  withSignal(signal: AbortSignal): QueryService {
    return new QueryService(this.#sources, signal)
  }

  /**
   * Runs a costly query once for all callers that pass the same key, and reuses its result for some seconds. The query ends
   * when every caller has cancelled.
   *
   * @param query uses the service that it is given: that one outlives a single caller.
   */
  cached<T>(key: string, query: (queries: QueryService) => Promise<T>): Promise<T> {
    return this.#sources.cache.get(key, (signal) => query(this.withSignal(signal)), this.#signal)
  }

  // Traces

  /** A page of the trace list. */
  traces: StoreReader["listTraces"] = (query) => this.#reader.listTraces(query)

  /** How many traces a scope has, when they began, and of which services. */
  traceOverview: StoreReader["overviewTraces"] = (scope, nowMs) => this.#reader.overviewTraces(scope, nowMs)

  /** How many traces a scope has, how many of them failed, and how long they took. */
  traceFigures: StoreReader["measureTraces"] = (scope) => this.#reader.measureTraces(scope)

  /** The traces of a scope by start time and duration. */
  traceHeatmap: StoreReader["readHeatmap"] = (scope, steps) => this.#reader.readHeatmap(scope, steps)

  /** The attributes and values that occur more often in some traces of a scope than in the others. */
  traceDifferences: StoreReader["readDifferences"] = (query) => this.#reader.readDifferences(query)

  /** Values that spans of a scope's traces have, most frequent first. */
  spanFacets: StoreReader["readSpanFacets"] = (scope) => this.#reader.readSpanFacets(scope)
  missing: StoreReader["readMissing"] = (scope) => this.#reader.readMissing(scope)

  /** All spans of a trace by start time; empty when the trace is unknown. */
  trace: StoreReader["readTrace"] = (traceId) => this.#reader.readTrace(traceId)
  /** The spans of a trace in batches; `undefined` when the trace is unknown. */
  traceInBatches = (traceId: TraceId) => readInBatches(this.#reader, traceId)
  /** How many spans of a trace are stored, each once; 0 when the trace is unknown. */
  spanCount: StoreReader["countSpans"] = (traceId) => this.#reader.countSpans(traceId)

  /** A trace as its screen shows it, read now; `undefined` when the trace is unknown. */
  async traceView(traceId: TraceId): Promise<TraceView | undefined> {
    const view = await readTraceView(this.#reader, traceId)
    if (view !== undefined) this.#sources.recentViews.add(view)
    return view
  }

  /** The view that a page was just rendered from, so that its later requests agree with it; else a new one. */
  async recentTraceView(traceId: TraceId): Promise<TraceView | undefined> {
    return this.#sources.recentViews.find(traceId) ?? this.traceView(traceId)
  }

  /** The newest other traces that begin with a span of the same service and name. */
  peerTraces: StoreReader["listPeerTraces"] = (like, limit) => this.#reader.listPeerTraces(like, limit)

  // Spans

  /** A span as each protocol reported it, OTLP first; empty when the span is unknown. */
  span: StoreReader["readSpan"] = (traceId, spanId) => this.#reader.readSpan(traceId, spanId)

  /** Ids of the spans whose attributes match all terms, joined: 16 digits each. */
  searchSpans: StoreReader["searchSpans"] = (traceId, terms) => this.#reader.searchSpans(traceId, terms)

  /** The call to a generative model that a span recorded; `undefined` when the span is unknown or records none. */
  genAi = (traceId: TraceId, spanId: SpanId) => readGenAiView(this.#reader, traceId, spanId)

  /** `undefined` when the span is unknown. */
  spanContext(traceId: TraceId, spanId: SpanId): Promise<SpanContext | undefined> {
    return readSpanContext(this.#reader, traceId, spanId)
  }

  /** A span and its descendants as compact text; `undefined` when the span is unknown. */
  async subtreeText(traceId: TraceId, spanId: SpanId): Promise<string | undefined> {
    const view = await this.recentTraceView(traceId)
    return view && readSubtreeText(this.#reader, view, spanId)
  }

  // Errors

  /** A page of issues. */
  errors: StoreReader["listIssues"] = (query) => this.#reader.listIssues(query)

  /** An issue with its newest events; `undefined` when the issue is unknown. */
  issue: StoreReader["readIssue"] = (issueId) => this.#reader.readIssue(issueId)

  /** An event, of the issue where one is given; `undefined` when the event is unknown. */
  event: StoreReader["findEvent"] = (...event) => this.#reader.findEvent(...event)

  /** Events of each issue at each step, by issue id. */
  eventCounts: StoreReader["countEvents"] = (issueIds, steps) => this.#reader.countEvents(issueIds, steps)

  /** The error events of a trace by time, at most 50. */
  errorsOfTrace: StoreReader["readErrorsOfTrace"] = (traceId) => this.#reader.readErrorsOfTrace(traceId)

  /** A span and its ancestors, outermost first. */
  spanPath: StoreReader["readSpanPath"] = (traceId, spanId) => this.#reader.readSpanPath(traceId, spanId)

  /** The same with frames in their original source. */
  mappedIssue = async (issueId: string): Promise<MappedIssue | undefined> =>
    mapIssue(await this.issue(issueId), this.#sources.sourceMaps)

  /** The exceptions of an event with frames in their original source. Never rejects. */
  mapExceptions = (event: ErrorEvent) => mapExceptions(event, this.#sources.sourceMaps)

  // Logs

  /** A page of logs, newest first unless the query says otherwise. */
  logs: StoreReader["listLogs"] = (query) => this.#reader.listLogs(query)

  /** How many logs a scope has, when, and of which severity. */
  logOverview: StoreReader["overviewLogs"] = (scope, nowMs) => this.#reader.overviewLogs(scope, nowMs)

  /** How many logs of a scope have each severity and service. */
  logFacets: StoreReader["countLogFacets"] = (scope) => this.#reader.countLogFacets(scope)

  // Sessions

  /** What one `session.id` did; `undefined` when no span or error has it. */
  session: StoreReader["readSession"] = (sessionId) => this.#reader.readSession(sessionId)

  /** The session of a trace; `undefined` without one, and for a trace of several. */
  sessionOfTrace = async (traceId: TraceId) => onlyOne(await this.#reader.readSessionsOfTrace(traceId))

  // Comparisons

  /** Routes and span paths of two sets of traces. `a` is the baseline. */
  compare = (a: ActivityScope, b: ActivityScope): Promise<Comparison> => compareScopes(this.#reader, a, b)

  /** The traces that a trace is compared with first. */
  typicalTraces: StoreReader["findTypicalTraces"] = (like) => this.#reader.findTypicalTraces(like)

  /** Releases of a window, or of all that is retained, the latest first span first. */
  releases = (scope: Parameters<StoreReader["listReleases"]>[0] = {}) => this.#reader.listReleases(scope)

  // Services, routes, runs, drops and envelope items

  /** The services of a scope and the calls between them. */
  services: StoreReader["listServices"] = (scope, steps) => this.#reader.listServices(scope, steps)

  /** The operations and traces of one service. */
  service: StoreReader["readService"] = (service, scope, steps) => this.#reader.readService(service, scope, steps)

  /** The latest traces in which an entry of a service has a parent that is not stored. */
  incompleteTraces: StoreReader["listIncompleteTraces"] = (...scope) => this.#reader.listIncompleteTraces(...scope)

  routes: StoreReader["listRoutes"] = (scope) => this.#reader.listRoutes(scope)

  /** The same with the change of each median against the window before. */
  routesWithChanges = async (scope: RouteScope): Promise<RouteList> =>
    withChanges(this.#reader, await this.#reader.listRoutes(scope), scope)

  /** `undefined` when the route has no measurement in the window. */
  route: StoreReader["readRoute"] = (route, scope, steps, kind) => this.#reader.readRoute(route, scope, steps, kind)

  /** Durations and failures of each route's entries; by time step where steps are given. */
  entryStats: StoreReader["entryStats"] = (scope, steps) => this.#reader.entryStats(scope, steps)

  /** How many of a scope's traces each service took part in, busiest first. */
  serviceActivity: StoreReader["serviceActivity"] = (scope, steps) => this.#reader.serviceActivity(scope, steps)

  /** Retained runs, latest first. */
  runs = () => this.#sources.runs.refresh()

  /** What the store retains of each run. */
  runCopies: StoreReader["listCopies"] = () => this.#reader.listCopies()

  /** Instances of apps, latest first. */
  appStarts: StoreReader["appStarts"] = () => this.#reader.appStarts()

  /** A page of drop records, newest first. */
  drops: StoreReader["pageDrops"] = (query) => this.#reader.pageDrops(query)

  /** Drops by stage, reason and category, and their trend. */
  dropOverview: StoreReader["overviewDrops"] = (scope, steps) => this.#reader.overviewDrops(scope, steps)

  /** A page of envelope items, newest first. */
  items: StoreReader["listItems"] = (query) => this.#reader.listItems(query)

  /** How many items there are of each type. */
  itemTypes: StoreReader["countItems"] = () => this.#reader.countItems()

  /** An event's own item and those that came with the event or refer to it, by time. */
  itemsOfEvent: StoreReader["readItemsOfEvent"] = (eventId) => this.#reader.readItemsOfEvent(eventId)

  /** Transaction events whose root is one of the spans, by time. */
  itemsOfSpans: StoreReader["readEventsOfSpans"] = (...spans) => this.#reader.readEventsOfSpans(...spans)

  /** An item with its payload; `undefined` when the item is unknown. */
  item: StoreReader["readItem"] = (itemId) => this.#reader.readItem(itemId)

  /** The verdict on each limit of budgets. */
  budgets = (budgets: Budgets, scope: BudgetScope, nowMs: number) => judgeBudgets(this.#reader, budgets, scope, nowMs)

  /** Everything that is stored as lines of OTLP/JSON. */
  recording = (counts: RecordingCounts) => recordingLines(this.#reader, counts)

  // Suggestions for filters

  /** Names of span attributes, most frequent first. */
  attributes = (): Promise<readonly KnownValue[]> =>
    this.cached("attributes", (queries) => queries.#reader.knownAttributes())

  /** Names of the attributes of logs, most frequent first. */
  logAttributes = (): Promise<readonly KnownValue[]> =>
    this.cached("log attributes", (queries) => queries.#reader.knownLogAttributes())

  /** Values of a field or attribute of logs that contain the text, most frequent first. */
  logValues = (field: string, text: string): Promise<readonly KnownValue[]> =>
    this.cached(`log values ${JSON.stringify([field, text])}`, (queries) => queries.#reader.knownLogValues(field, text))

  /** Values of a field or attribute that contain the text, most frequent first. For `run`, retained runs come first. */
  values(field: string, text: string): Promise<readonly KnownValue[]> {
    const key = `values ${JSON.stringify([field, text])}`
    return this.cached(key, (queries) =>
      field === "run" ? queries.#runNames(text) : queries.#reader.knownValues(field, text),
    )
  }

  /** Whether a span of a service other than these is stored. */
  hasOtherServices = (services: readonly string[]): Promise<boolean> =>
    this.cached(`other services ${JSON.stringify(services)}`, (queries) => queries.#reader.hasOtherServices(services))

  async #runNames(text: string): Promise<readonly KnownValue[]> {
    const retained = (await this.runs()).filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
    const reported = await this.#reader.knownValues("pagespan.run", text)
    return [
      ...retained.map(({ name }) => ({ value: name, spans: 0 })),
      ...reported.filter(({ value }) => !retained.some(({ name }) => name === value)),
    ]
  }
}
