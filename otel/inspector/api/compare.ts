import { DYNAMIC_HEADERS } from "../../protocol/transport/responses.ts"
import type { Inspector } from "../inspector.ts"
import { comparisonToJson } from "../queries/compare/comparison-json.ts"
import { parseCompareQuery } from "../queries/compare/compare-query.ts"
import { json, respond } from "./respond.ts"

/** `GET /api/compare`: the routes and span paths of two filters side by side, by the same query parameters as the screen. 400 for an invalid filter. */
export function compare(inspector: Inspector, request: Request): Promise<Response> {
  return respond(inspector, request, async (queries, parameters) => {
    const query = parseCompareQuery(parameters, Date.now(), inspector.runs.lookup)
    const { a, b } = query
    const notices = parameters.noticesWith(query.notices)
    for (const [side, { problem }] of Object.entries({ a, b }))
      if (problem !== undefined) return Response.json({ ...problem, side }, { status: 400, headers: DYNAMIC_HEADERS })
    return json(comparisonToJson(await queries.compare(a.scope, b.scope), { ...query, notices }))
  })
}
