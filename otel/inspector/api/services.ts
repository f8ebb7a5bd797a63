import { DYNAMIC_HEADERS } from "../../protocol/transport/responses.ts"
import type { Inspector } from "../inspector.ts"
import { callsOf, type ParsedServiceQuery, parseServiceQuery, sortServices } from "../queries/services/service-query.ts"
import type { ServiceTrace } from "../queries/services/service-reader.ts"
import { json, problem, respond } from "./respond.ts"

/** `GET /api/services`: the services of a time window and the calls between them, by the same query parameters as the screen. 400 for an invalid filter. */
export function listServices(inspector: Inspector, request: Request): Promise<Response> {
  return respond(inspector, request, async (queries) => {
    const query = queryOf(inspector, request)
    if (query.problem !== undefined) return invalid(query)
    const { services, calls, total, countedFrom } = await queries.services(query.scope, query.steps)
    return json({
      services: sortServices(services, query.sort ?? "busy").map((one) => ({
        ...one,
        callers: callsOf({ calls }, one.service).callers.map(({ caller }) => caller),
        callees: callsOf({ calls }, one.service).callees.map(({ callee }) => callee),
      })),
      calls,
      total,
      next: null,
      ...countedOf(query, countedFrom),
    })
  })
}

/** `GET /api/services/{name}`: one service, the calls to it and from it, its operations and some of its entries. 404 without entries in the window. */
export function getService(inspector: Inspector, request: Request, name: string): Promise<Response> {
  return respond(inspector, request, async (queries) => {
    const query = queryOf(inspector, request)
    if (query.problem !== undefined) return invalid(query)
    const [list, detail] = await Promise.all([
      queries.services(query.scope, query.steps),
      queries.service(name, query.scope, query.steps),
    ])
    const figures = list.services.find(({ service }) => service === name)
    if (figures === undefined) return problem(404, "The service has no entry in the time range.")
    return json({
      ...figures,
      ...callsOf(list, name),
      operations: detail.operations,
      trend: detail.trend,
      slowest: detail.slowest.map(traceToJson),
      failing: detail.failing.map(traceToJson),
      ...countedOf(query, list.countedFrom),
    })
  })
}

function queryOf({ runs }: Inspector, request: Request): ParsedServiceQuery {
  return parseServiceQuery(new URL(request.url).searchParams, Date.now(), runs.lookup)
}

function invalid({ problem: why }: ParsedServiceQuery): Response {
  return Response.json(why, { status: 400, headers: DYNAMIC_HEADERS })
}

/** The time that was counted and its steps, and what was ignored. */
function countedOf({ range, steps, notices }: ParsedServiceQuery, countedFrom: bigint) {
  return {
    countedFromUnixNano: String(countedFrom),
    untilUnixNano: String(range.until),
    steps: { fromUnixNano: String(steps.from), stepMs: steps.stepMs, count: steps.count },
    ...(notices.length > 0 && { notices }),
  }
}

function traceToJson({ startTime, value, ...trace }: ServiceTrace) {
  return { ...trace, startTimeUnixNano: String(startTime), durationMs: value }
}
