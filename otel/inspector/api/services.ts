import { DYNAMIC_HEADERS } from "../../protocol/transport/responses.ts"
import type { Inspector } from "../inspector.ts"
import { servicesToJson, serviceToJson } from "../queries/services/service-json.ts"
import { type ParsedServiceQuery, parseServiceQuery } from "../queries/services/service-query.ts"
import type { RequestParameters } from "./request-parameters.ts"
import { json, problem, respond } from "./respond.ts"

/** `GET /api/services`: the services of a time window and the calls between them, by the same query parameters as the screen. 400 for an invalid filter. */
export function listServices(inspector: Inspector, request: Request): Promise<Response> {
  return respond(inspector, request, async (queries, parameters) => {
    const query = queryOf(inspector, parameters)
    if (query.problem !== undefined) return invalid(query)
    return json(servicesToJson(await queries.services(query.scope, query.steps), query))
  })
}

/** `GET /api/services/{name}`: one service, the calls to it and from it, its operations and some of its entries. 404 without entries in the window. */
export function getService(inspector: Inspector, request: Request, name: string): Promise<Response> {
  return respond(inspector, request, async (queries, parameters) => {
    const query = queryOf(inspector, parameters)
    if (query.problem !== undefined) return invalid(query)
    const [list, detail] = await Promise.all([
      queries.services(query.scope, query.steps),
      queries.service(name, query.scope, query.steps),
    ])
    const found = serviceToJson(name, list, detail, query)
    return found === undefined ? problem(404, "The service has no entry in the time range.") : json(found)
  })
}

function queryOf({ runs }: Inspector, parameters: RequestParameters): ParsedServiceQuery {
  const query = parseServiceQuery(parameters, Date.now(), runs.lookup)
  return { ...query, notices: parameters.noticesWith(query.notices) }
}

function invalid({ problem: why }: ParsedServiceQuery): Response {
  return Response.json(why, { status: 400, headers: DYNAMIC_HEADERS })
}
