import type { DropRecord } from "../../protocol/records/drop.ts"
import type { TraceId } from "../../protocol/records/ids.ts"
import type { Nanoseconds } from "../../protocol/records/time.ts"
import type { DropReader } from "../queries/drops/drop-reader.ts"
import type { EnvelopeItemReader } from "../queries/errors/envelope-items.ts"
import type { ErrorReader } from "../queries/errors/error-reader.ts"
import type { TraceReader, TraceScope } from "../queries/list/trace-reader.ts"
import type { RouteReader } from "../queries/routes/route-reader.ts"
import type { ClickHouse } from "./clickhouse.ts"
import { appStarts } from "./read/app-starts.ts"
import { countEvents } from "./read/count-events.ts"
import { overviewDrops, pageDrops } from "./read/drop-pages.ts"
import { entryStats, serviceActivity } from "./read/entry-stats.ts"
import { countItems, listItems, readEventsOfSpans, readItem, readItemsOfEvent } from "./read/envelope-items.ts"
import { knownAttributes, knownValues } from "./read/known-values.ts"
import { listDrops } from "./read/list-drops.ts"
import { listIssues, readIssue } from "./read/list-issues.ts"
import { listRoutes } from "./read/list-routes.ts"
import { listTraces } from "./read/list-traces.ts"
import { overviewTraces, readSpanFacets } from "./read/overview.ts"
import { listTraceErrors, readBackLinks, readErrorsOfTrace } from "./read/read-linked.ts"
import { readTraceLogs } from "./read/read-logs.ts"
import { readOutline } from "./read/read-outline.ts"
import { listPeerTraces, readPeers } from "./read/read-peers.ts"
import { readRoute } from "./read/read-route.ts"
import { readSpanPath } from "./read/read-span-path.ts"
import { readSpan, readSpans, readTrace } from "./read/read-trace.ts"
import { searchSpans } from "./read/search-spans.ts"
import type { RetainedTraces } from "./retained/retained-traces.ts"
import { listRuns } from "./runs.ts"

/** All that can be asked of the store. */
export interface Readers extends TraceReader, ErrorReader, DropReader, RouteReader, EnvelopeItemReader {
  /** The newest drops, newest first. */
  listDrops(limit: number): Promise<readonly DropRecord[]>
}

/** Runs a query, told before which time nothing is shown any more. */
type Read = <Answer>(query: (clickhouse: ClickHouse, oldest: Nanoseconds) => Promise<Answer>) => Promise<Answer>

export function createReaders(read: Read, retained: RetainedTraces): Readers {
  type Ask<Answer> = (clickhouse: ClickHouse, oldest: Nanoseconds) => Promise<Answer>
  /** What was kept of a run is read beside what ages, where it is asked for. */
  const ofTrace = <Answer>(traceId: TraceId, ask: Ask<Answer>) =>
    read(async (clickhouse, oldest) => {
      const reading = await retained.forTrace({ clickhouse, oldest }, traceId)
      return ask(reading.clickhouse, reading.oldest)
    })
  const inScope = <Answer>(scope: TraceScope, ask: Ask<Answer>) =>
    read((clickhouse, oldest) => {
      const reading = retained.forScope({ clickhouse, oldest }, scope)
      return ask(reading.clickhouse, reading.oldest)
    })
  return {
    listTraces: (query) => inScope(query, (clickhouse, oldest) => listTraces(clickhouse, query, oldest)),
    overviewTraces: (scope, nowMs) =>
      inScope(scope, (clickhouse, oldest) => overviewTraces(clickhouse, scope, nowMs, oldest)),
    readSpanFacets: (scope) => inScope(scope, (clickhouse, oldest) => readSpanFacets(clickhouse, scope, oldest)),
    entryStats: (scope, steps) => inScope(scope, (clickhouse, oldest) => entryStats(clickhouse, scope, steps, oldest)),
    serviceActivity: (scope, steps) =>
      inScope(scope, (clickhouse, oldest) => serviceActivity(clickhouse, scope, steps, oldest)),
    knownAttributes: () => read((clickhouse, oldest) => knownAttributes(clickhouse, oldest)),
    knownValues: (field, text) => read((clickhouse, oldest) => knownValues(clickhouse, field, text, oldest)),
    appStarts: () => read((clickhouse, oldest) => appStarts(clickhouse, oldest)),
    listRuns: () => read(listRuns),
    listCopies: () => read((clickhouse) => retained.copies(clickhouse)),
    readTrace: (traceId) => ofTrace(traceId, (clickhouse, oldest) => readTrace(clickhouse, traceId, oldest)),
    readOutline: (traceId) => ofTrace(traceId, (clickhouse, oldest) => readOutline(clickhouse, traceId, oldest)),
    readSpan: (traceId, spanId) =>
      ofTrace(traceId, (clickhouse, oldest) => readSpan(clickhouse, traceId, spanId, oldest)),
    readSpans: (traceId, ids) => ofTrace(traceId, (clickhouse, oldest) => readSpans(clickhouse, traceId, ids, oldest)),
    searchSpans: (traceId, terms) =>
      ofTrace(traceId, (clickhouse, oldest) => searchSpans(clickhouse, traceId, terms, oldest)),
    readPeers: (like) => read((clickhouse, oldest) => readPeers(clickhouse, like, oldest)),
    listPeerTraces: (like, limit) => read((clickhouse, oldest) => listPeerTraces(clickhouse, like, limit, oldest)),
    listTraceErrors: (traceId) =>
      ofTrace(traceId, (clickhouse, oldest) => listTraceErrors(clickhouse, traceId, oldest)),
    readBackLinks: (traceId, spanId) =>
      read((clickhouse, oldest) => readBackLinks(clickhouse, traceId, spanId, oldest)),
    listIssues: (query) => read((clickhouse, oldest) => listIssues(clickhouse, query, oldest)),
    readIssue: (issueId) => read((clickhouse, oldest) => readIssue(clickhouse, issueId, oldest)),
    countEvents: (issueIds, steps) => read((clickhouse, oldest) => countEvents(clickhouse, issueIds, steps, oldest)),
    readErrorsOfTrace: (traceId) =>
      ofTrace(traceId, (clickhouse, oldest) => readErrorsOfTrace(clickhouse, traceId, oldest)),
    readSpanPath: (traceId, spanId) =>
      ofTrace(traceId, (clickhouse, oldest) => readSpanPath(clickhouse, traceId, spanId, oldest)),
    pageDrops: (query) => read((clickhouse, oldest) => pageDrops(clickhouse, query, oldest)),
    overviewDrops: (scope, steps) => read((clickhouse, oldest) => overviewDrops(clickhouse, scope, steps, oldest)),
    listRoutes: (scope) => read((clickhouse, oldest) => listRoutes(clickhouse, scope, oldest)),
    readRoute: (route, scope, steps, kind) =>
      read((clickhouse, oldest) => readRoute(clickhouse, route, scope, { steps, kind, oldest })),
    readTraceLogs: (traceId) => ofTrace(traceId, (clickhouse, oldest) => readTraceLogs(clickhouse, traceId, oldest)),
    listItems: (query) => read((clickhouse, oldest) => listItems(clickhouse, query, oldest)),
    countItems: () => read(countItems),
    readItemsOfEvent: (eventId) => read((clickhouse, oldest) => readItemsOfEvent(clickhouse, eventId, oldest)),
    readEventsOfSpans: (traceId, ids) =>
      read((clickhouse, oldest) => readEventsOfSpans(clickhouse, traceId, ids, oldest)),
    readItem: (itemId) => read((clickhouse, oldest) => readItem(clickhouse, itemId, oldest)),
    listDrops: (limit) => read((clickhouse, oldest) => listDrops(clickhouse, limit, oldest)),
  }
}
