import type { TraceId } from "../../protocol/records/ids.ts"
import { DYNAMIC_HEADERS } from "../../protocol/transport/responses.ts"
import type { Inspector } from "../inspector.ts"
import { logToJson } from "../queries/logs/log-json.ts"
import { parseLogQuery } from "../queries/logs/log-query.ts"
import type { QueryService } from "../queries/query-service.ts"
import type { RequestParameters } from "./request-parameters.ts"
import { json, page, problem, respond } from "./respond.ts"
import { respondForTrace } from "./traces.ts"

/** `GET /api/logs`: a page of logs, newest first, by the same query parameters as the screen. 400 for an invalid filter. */
export function listLogs(inspector: Inspector, request: Request): Promise<Response> {
  return respond(inspector, request, (queries, parameters) => pageOf(queries, parameters))
}

/** `GET /api/logs/figures`: how many logs match. 400 for an invalid filter. */
export function getLogFigures(inspector: Inspector, request: Request): Promise<Response> {
  return respond(inspector, request, async (queries, parameters) => {
    const nowMs = Date.now()
    const { query, problem, notices } = parseLogQuery(parameters, nowMs)
    if (problem !== undefined) return Response.json(problem, { status: 400, headers: DYNAMIC_HEADERS })
    const { logs } = await queries.logOverview(query, nowMs)
    return json({ logs }, parameters.noticesWith(notices))
  })
}

/** `GET /api/traces/{traceId}/logs`: the logs of a trace, oldest first. Empty when the trace has none, stored or not. */
export function listTraceLogs(inspector: Inspector, request: Request, traceIdText: string): Promise<Response> {
  return respondForTrace(inspector, request, traceIdText, (queries, traceId, parameters) =>
    pageOf(queries, parameters, traceId),
  )
}

async function pageOf(queries: QueryService, parameters: RequestParameters, traceId?: TraceId): Promise<Response> {
  const { query, cut, problem: invalid, refusal, notices } = parseLogQuery(parameters, Date.now(), traceId)
  if (invalid !== undefined) return Response.json(invalid, { status: 400, headers: DYNAMIC_HEADERS })
  if (refusal !== undefined) return problem(400, refusal)
  const { logs, next } = await queries.logs(query)
  return page({ logs: logs.map((log) => logToJson(log, cut)) }, next, parameters.noticesWith(notices))
}
