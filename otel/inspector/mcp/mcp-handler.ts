import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js"
import type { SpanId, TraceId } from "../../protocol/records/ids.ts"
import { DYNAMIC_HEADERS } from "../../protocol/transport/responses.ts"
import { storeProblem } from "../api/respond.ts"
import type { Inspector } from "../inspector.ts"
import { BudgetsInvalid } from "../queries/budgets/budget-file.ts"
import {
  BudgetFilterInvalid,
  type BudgetRequest,
  type ParsedBudgetRequest,
  parseBudgetRequest,
} from "../queries/budgets/budget-request.ts"
import { comparisonToJson } from "../queries/compare/comparison-json.ts"
import { parseCompareQuery } from "../queries/compare/compare-query.ts"
import { parseDropQuery, UNLIMITED_AGE } from "../queries/drops/drop-query.ts"
import { dropToJson } from "../queries/drops/drop-reader.ts"
import { itemToJson } from "../queries/errors/envelope-items.ts"
import { parseIssueListQuery } from "../queries/errors/issue-list-query.ts"
import { issueDetailToJson, issueToJson } from "../queries/errors/issue.ts"
import { parseDifferences } from "../queries/list/difference-query.ts"
import { differencesToJson } from "../queries/list/differences.ts"
import { LIST_PAGE_LIMIT } from "../queries/list/parameter-reader.ts"
import { parseTraceListQuery } from "../queries/list/trace-list-query.ts"
import { traceSummaryToJson } from "../queries/list/trace-summary.ts"
import { logToJson } from "../queries/logs/log-json.ts"
import { parseLogQuery } from "../queries/logs/log-query.ts"
import { isStoreUnavailable } from "../queries/query-failures.ts"
import type { QueryService } from "../queries/query-service.ts"
import { servicesToJson, serviceToJson } from "../queries/services/service-json.ts"
import { type ParsedServiceQuery, parseServiceQuery } from "../queries/services/service-query.ts"
import { journeyToJson } from "../queries/sessions/journey.ts"
import { pointAtProblem } from "../search/index.ts"
import { createMcpServer } from "./server.ts"
import { type ReadTrace, ToolError, type ToolQueries } from "./tool.ts"

/** A tool call has a few hundred bytes. */
const REQUEST_BYTES = 256 * 1024

/**
 * `POST /mcp`: the tools of `pagespan mcp` over HTTP. Stateless: no session, and no stream that a `GET` could open.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 */
export async function mcpHandler(inspector: Inspector, request: Request, version: string): Promise<Response> {
  // Every client of the protocol requests a stream this way, and works without one. No data is dropped.
  if (request.method === "GET") return inspector.receiver.guardHost(request) ?? noStream()
  const refusal = inspector.receiver.guardAction(request, "POST")
  if (refusal !== undefined) return refusal
  const transport = new WebStandardStreamableHTTPServerTransport({
    enableJsonResponse: true,
    maxRequestBodySize: REQUEST_BYTES,
  })
  const server = createMcpServer(inspectorQueries(inspector, request.signal), version)
  await server.connect(transport)
  return transport.handleRequest(request)
}

function noStream(): Response {
  return new Response(null, { status: 405, headers: { ...DYNAMIC_HEADERS, allow: "POST" } })
}

/** The queries of this process. They end in the store when the signal aborts. */
function inspectorQueries(inspector: Inspector, signal: AbortSignal): ToolQueries {
  const queries = inspector.queries.withSignal(signal)
  const whenAvailable = async <T>(query: Promise<T>): Promise<T> => {
    try {
      return await query
    } catch (error) {
      throw isStoreUnavailable(error) ? new ToolError(storeProblem(inspector)) : error
    }
  }
  return {
    async traces(q, since) {
      const parameters = new URLSearchParams({
        q,
        limit: String(LIST_PAGE_LIMIT),
        ...(since !== undefined && { since }),
      })
      const { query, problem } = parseTraceListQuery(parameters, Date.now(), inspector.runs.lookup)
      if (problem !== undefined) throw new ToolError(pointAtProblem(q, problem))
      return (await whenAvailable(queries.traces(query))).traces.map(traceSummaryToJson)
    },
    async differences(parameters) {
      const parsed = parseDifferences(new URLSearchParams(parameters), Date.now(), inspector.runs.lookup)
      const { query, selection, baseline, problem, refused } = parsed
      if (problem !== undefined) throw new ToolError(pointAtProblem(refused, problem))
      const filters = { selection: selection.filter, baseline: baseline.filter }
      return differencesToJson(await whenAvailable(queries.traceDifferences(query)), filters)
    },
    trace: (traceId) => whenAvailable(readTrace(queries, traceId.toLowerCase() as TraceId)),
    span: (traceId, spanId) => whenAvailable(queries.span(traceId.toLowerCase() as TraceId, spanId as SpanId)),
    findings: async (traceId) => (await whenAvailable(queries.traceView(traceId.toLowerCase() as TraceId)))?.findings,
    async errors(parameters) {
      const { query } = parseIssueListQuery(new URLSearchParams(parameters), Date.now())
      return (await whenAvailable(queries.errors(query))).issues.map(issueToJson)
    },
    async issue(issueId) {
      const issue = await whenAvailable(queries.mappedIssue(issueId))
      if (issue === undefined) throw new ToolError("No event of this issue is stored.")
      return issueDetailToJson(issue)
    },
    itemsOfEvent: async (eventId) => (await whenAvailable(queries.itemsOfEvent(eventId))).map(itemToJson),
    async logs(traceId, parameters) {
      const ofTrace = traceId?.toLowerCase() as TraceId | undefined
      const { query, filter, problem } = parseLogQuery(new URLSearchParams(parameters), Date.now(), ofTrace)
      if (problem !== undefined) throw new ToolError(pointAtProblem(filter, problem))
      return (await whenAvailable(queries.logs(query))).logs.map((log) => logToJson(log))
    },
    async compare(parameters) {
      const query = parseCompareQuery(new URLSearchParams(parameters), Date.now(), inspector.runs.lookup)
      const { a, b } = query
      for (const { filter, problem } of [a, b])
        if (problem !== undefined) throw new ToolError(pointAtProblem(filter, problem))
      return comparisonToJson(await whenAvailable(queries.compare(a.scope, b.scope)), query)
    },
    ...overviewQueries(inspector, queries, whenAvailable),
    async drops(limit) {
      const { query } = parseDropQuery(new URLSearchParams({ limit: String(limit) }), Date.now(), UNLIMITED_AGE)
      return (await whenAvailable(queries.drops(query))).drops.map(dropToJson)
    },
  }
}

/** The store reads at most 100,000 rows of a trace, and a span has a few. A trace of fewer spans than these was not cut. */
const UNCUT_SPANS = 25_000

async function readTrace(queries: QueryService, traceId: TraceId): Promise<ReadTrace> {
  const spans = await queries.trace(traceId)
  if (spans.length < UNCUT_SPANS) return { spans, stored: spans.length }
  return { spans, stored: Math.max(spans.length, await queries.spanCount(traceId)) }
}

type WhenAvailable = <T>(query: Promise<T>) => Promise<T>

function overviewQueries(
  inspector: Inspector,
  queries: QueryService,
  whenAvailable: WhenAvailable,
): Pick<ToolQueries, "services" | "service" | "session" | "budgets"> {
  return {
    async services(parameters) {
      const query = serviceQuery(inspector, parameters)
      return servicesToJson(await whenAvailable(queries.services(query.scope, query.steps)), query)
    },
    async service(name, parameters) {
      const query = serviceQuery(inspector, parameters)
      const [list, detail] = await whenAvailable(
        Promise.all([queries.services(query.scope, query.steps), queries.service(name, query.scope, query.steps)]),
      )
      const service = serviceToJson(name, list, detail, query)
      if (service === undefined) throw new ToolError("The service has no entry in the time range.")
      return service
    },
    async session(sessionId) {
      const session = await whenAvailable(queries.session(sessionId))
      if (session === undefined) throw new ToolError("No span or error has the session id.")
      return journeyToJson(session)
    },
    async budgets(request) {
      const nowMs = Date.now()
      const { budgets, scope } = parsedBudgets(request, nowMs, inspector)
      return whenAvailable(queries.budgets(budgets, scope, nowMs))
    },
  }
}

function serviceQuery({ runs }: Inspector, parameters: Readonly<Record<string, string>>): ParsedServiceQuery {
  const query = parseServiceQuery(new URLSearchParams(parameters), Date.now(), runs.lookup)
  if (query.problem !== undefined) throw new ToolError(pointAtProblem(query.filter, query.problem))
  return query
}

function parsedBudgets(
  request: BudgetRequest,
  nowMs: number,
  { runs, internalServices }: Inspector,
): ParsedBudgetRequest {
  try {
    return parseBudgetRequest(request, nowMs, { runs: runs.lookup, internalServices })
  } catch (error) {
    if (error instanceof BudgetsInvalid) throw new ToolError(error.message)
    throw error instanceof BudgetFilterInvalid ? new ToolError(pointAtProblem(error.filter, error.problem)) : error
  }
}
