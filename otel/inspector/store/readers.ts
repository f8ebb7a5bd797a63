import type { DropRecord } from "../../protocol/records/drop.ts"
import type { TraceId } from "../../protocol/records/ids.ts"
import type { Nanoseconds } from "../../protocol/records/time.ts"
import type { BudgetReader } from "../queries/budgets/budget-reader.ts"
import type { CompareReader } from "../queries/compare/compare-reader.ts"
import type { DropReader } from "../queries/drops/drop-reader.ts"
import type { EnvelopeItemReader } from "../queries/errors/envelope-items.ts"
import type { ErrorReader } from "../queries/errors/error-reader.ts"
import type { ActivityScope, TraceReader, TraceScope } from "../queries/list/trace-reader.ts"
import type { LogReader } from "../queries/logs/log-reader.ts"
import type { RouteReader } from "../queries/routes/route-reader.ts"
import type { ServiceReader } from "../queries/services/service-reader.ts"
import type { SessionReader } from "../queries/sessions/session-reader.ts"
import type { ClickHouse } from "./clickhouse.ts"
import { measureFigures } from "./read/budgets/measure-figures.ts"
import { sampleViews } from "./read/budgets/sample-views.ts"
import { listReleases } from "./read/compare/list-releases.ts"
import { measureRoutes } from "./read/compare/measure-routes.ts"
import { sampleTraces } from "./read/compare/sample-traces.ts"
import { findTypicalTraces } from "./read/compare/typical-traces.ts"
import type { ReadContext } from "./read/context.ts"
import { listDrops, overviewDrops, pageDrops } from "./read/drops.ts"
import { countItems, listItems, readEventsOfSpans, readItem, readItemsOfEvent } from "./read/errors/envelope-items.ts"
import { countEvents, findEvent, listIssues, readIssue } from "./read/errors/issues.ts"
import { pageErrorEvents } from "./read/errors/page-events.ts"
import { listTraceErrors, readErrorsOfTrace } from "./read/errors/trace-events.ts"
import { knownLogAttributes, knownLogValues } from "./read/logs/known-log-values.ts"
import { countLogFacets, listLogs, overviewLogs } from "./read/logs/list-logs.ts"
import { listRoutes } from "./read/routes/list-routes.ts"
import { readRoute } from "./read/routes/read-route.ts"
import { listServices } from "./read/services/list-services.ts"
import { listIncompleteTraces, readService } from "./read/services/read-service.ts"
import { readSession, readSessionsOfTrace } from "./read/sessions/read-session.ts"
import { entryStats, serviceActivity } from "./read/traces/entry-stats.ts"
import { readDifferences } from "./read/traces/differences.ts"
import { readGenAi } from "./read/traces/gen-ai.ts"
import { readHeatmap } from "./read/traces/heatmap.ts"
import { appStarts, hasOtherServices, knownAttributes, knownValues } from "./read/traces/known-values.ts"
import { listTraces } from "./read/traces/list-traces.ts"
import { readMissing, readSpanFacets } from "./read/traces/facets.ts"
import { measureTraces, overviewTraces } from "./read/traces/overview.ts"
import { countSpans, readOutline } from "./read/traces/read-outline.ts"
import { readSpan, readSpans, readTrace, readTraces } from "./read/traces/read-trace.ts"
import { searchSpans } from "./read/traces/search-spans.ts"
import { listPeerTraces, readBackLinks, readPeers, readSpanPath } from "./read/traces/span-relations.ts"
import type { RetainedTraces } from "./retained/retained-traces.ts"
import { listRuns } from "./retained/runs.ts"

/** All queries of the store. */
export interface Readers
  extends
    TraceReader,
    ErrorReader,
    DropReader,
    RouteReader,
    ServiceReader,
    SessionReader,
    CompareReader,
    BudgetReader,
    EnvelopeItemReader,
    LogReader {
  /** The newest drops, newest first. */
  listDrops(limit: number): Promise<readonly DropRecord[]>
}

/** Runs a query on the connection. `oldest` is the start of the retention. */
type RunQuery = <Answer>(query: (clickhouse: ClickHouse, oldest: Nanoseconds) => Promise<Answer>) => Promise<Answer>

type Query<Answer> = (context: ReadContext) => Promise<Answer>

export function createReaders(run: RunQuery, retained: RetainedTraces): Readers {
  const read = <Answer>(query: Query<Answer>) =>
    run((clickhouse, oldest) => query({ clickhouse, oldest, from: (table) => table }))
  // Queries of traces include the copies of retained runs, where the scope or the trace needs them.
  const inScope = <Answer>(scope: TraceScope, query: Query<Answer>) =>
    read((context) => query(retained.forScope(context, scope)))
  const ofTrace = <Answer>(traceId: TraceId, query: Query<Answer>) =>
    read(async (context) => query(await retained.forTrace(context, traceId)))
  return {
    listTraces: (query) => inScope(query, (context) => listTraces(context, query)),
    overviewTraces: (scope, nowMs) => inScope(scope, (context) => overviewTraces(context, scope, nowMs)),
    measureTraces: (scope) => inScope(scope, (context) => measureTraces(context, scope)),
    readHeatmap: (scope, steps) => inScope(scope, (context) => readHeatmap(context, scope, steps)),
    readDifferences: (query) => inScope(query.baseline, (context) => readDifferences(context, query)),
    readSpanFacets: (scope) => inScope(scope, (context) => readSpanFacets(context, scope)),
    readMissing: (scope) => inScope(scope, (context) => readMissing(context, scope)),
    entryStats: (scope, steps) => inScope(scope, (context) => entryStats(context, scope, steps)),
    serviceActivity: (scope, steps) => inScope(scope, (context) => serviceActivity(context, scope, steps)),
    knownAttributes: () => read(knownAttributes),
    knownValues: (field, text) => read((context) => knownValues(context, field, text)),
    hasOtherServices: (services) => read((context) => hasOtherServices(context, services)),
    appStarts: () => read(appStarts),
    listRuns: () => read(({ clickhouse }) => listRuns(clickhouse)),
    listCopies: () => read(({ clickhouse }) => retained.copies(clickhouse)),

    readTrace: (traceId) => ofTrace(traceId, (context) => readTrace(context, traceId)),
    readTraces: (traceIds) => read((context) => readTraces(context, traceIds)),
    readOutline: (traceId) => ofTrace(traceId, (context) => readOutline(context, traceId)),
    countSpans: (traceId) => ofTrace(traceId, (context) => countSpans(context, traceId)),
    readSpan: (traceId, spanId) => ofTrace(traceId, (context) => readSpan(context, traceId, spanId)),
    readSpans: (traceId, ids) => ofTrace(traceId, (context) => readSpans(context, traceId, ids)),
    readGenAi: (traceId) => ofTrace(traceId, (context) => readGenAi(context, traceId)),
    searchSpans: (traceId, terms) => ofTrace(traceId, (context) => searchSpans(context, traceId, terms)),
    readSpanPath: (traceId, spanId) => ofTrace(traceId, (context) => readSpanPath(context, traceId, spanId)),
    listTraceErrors: (traceId) => ofTrace(traceId, (context) => listTraceErrors(context, traceId)),
    readErrorsOfTrace: (traceId) => ofTrace(traceId, (context) => readErrorsOfTrace(context, traceId)),
    readPeers: (like) => read((context) => readPeers(context, like)),
    listPeerTraces: (like, limit) => read((context) => listPeerTraces(context, like, limit)),
    readBackLinks: (traceId, spanId) => read((context) => readBackLinks(context, traceId, spanId)),

    ...errorReaders(read),

    listRoutes: (scope) => read((context) => listRoutes(context, scope)),
    readRoute: (route, scope, steps, kind) => read((context) => readRoute(context, route, scope, { steps, kind })),

    listServices: (scope, steps, limit) => inScope(scope, (context) => listServices(context, scope, steps, limit)),
    listIncompleteTraces: (service, scope, steps) =>
      inScope(scope, (context) => listIncompleteTraces(context, service, scope, steps)),
    readService: (service, scope, steps) => inScope(scope, (context) => readService(context, service, scope, steps)),
    readSession: (sessionId) => read((context) => readSession(context, sessionId)),
    readSessionsOfTrace: (traceId) => ofTrace(traceId, (context) => readSessionsOfTrace(context, traceId)),

    ...compareReaders(read, retained),
    measureFigures: (scope) => inScope(scope, (context) => measureFigures(context, scope)),
    sampleViews: (scope, limit) => inScope(scope, (context) => sampleViews(context, scope, limit)),

    // Logs of a trace include the copies of retained runs.
    listLogs: (query) =>
      query.traceId === undefined
        ? read((context) => listLogs(context, query))
        : ofTrace(query.traceId, (context) => listLogs(context, query)),
    overviewLogs: (scope, nowMs) => read((context) => overviewLogs(context, scope, nowMs)),
    knownLogAttributes: () => read(knownLogAttributes),
    countLogFacets: (scope) => read((context) => countLogFacets(context, scope)),
    knownLogValues: (field, text) => read((context) => knownLogValues(context, field, text)),

    ...dropReaders(read),
  }
}

function dropReaders(read: <Answer>(query: Query<Answer>) => Promise<Answer>) {
  return {
    listDrops: (limit) => read((context) => listDrops(context, limit)),
    pageDrops: (query) => read((context) => pageDrops(context, query)),
    overviewDrops: (scope, steps) => read((context) => overviewDrops(context, scope, steps)),
  } satisfies DropReader & Pick<Readers, "listDrops">
}

/** Each side of a comparison has the copies of retained runs that it needs. */
function compareReaders(
  read: <Answer>(query: Query<Answer>) => Promise<Answer>,
  retained: RetainedTraces,
): CompareReader {
  const side = (context: ReadContext, scope: ActivityScope) => ({ context: retained.forScope(context, scope), scope })
  return {
    measureRoutes: (a, b) => read((context) => measureRoutes(side(context, a), side(context, b))),
    sampleTraces: (scope, limit) => read((context) => sampleTraces(retained.forScope(context, scope), scope, limit)),
    listReleases: (scope) => read((context) => listReleases(context, scope)),
    findTypicalTraces: (like) => read((context) => findTypicalTraces(context, like)),
  }
}

function errorReaders(read: <Answer>(query: Query<Answer>) => Promise<Answer>) {
  return {
    listIssues: (query) => read((context) => listIssues(context, query)),
    readIssue: (issueId) => read((context) => readIssue(context, issueId)),
    findEvent: (...event) => read((context) => findEvent(context, ...event)),
    countEvents: (issueIds, steps) => read((context) => countEvents(context, issueIds, steps)),
    pageErrorEvents: (query) => read((context) => pageErrorEvents(context, query)),
    listItems: (query) => read((context) => listItems(context, query)),
    countItems: () => read(countItems),
    readItemsOfEvent: (eventId) => read((context) => readItemsOfEvent(context, eventId)),
    readEventsOfSpans: (traceId, ids) => read((context) => readEventsOfSpans(context, traceId, ids)),
    readItem: (itemId) => read((context) => readItem(context, itemId)),
  } satisfies Partial<ErrorReader & EnvelopeItemReader>
}
