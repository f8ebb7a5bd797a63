import { DYNAMIC_HEADERS } from "../../protocol/transport/responses.ts"
import type { Inspector } from "../inspector.ts"
import { parseDifferences } from "../queries/list/difference-query.ts"
import { differencesToJson } from "../queries/list/differences.ts"
import { json, respond } from "./respond.ts"

/**
 * `GET /api/traces/differences`: the attributes and values that occur more often in some traces, the selection, than in the
 * others of the baseline. 400 for an invalid filter.
 */
export function getDifferences(inspector: Inspector, request: Request): Promise<Response> {
  return respond(inspector, request, async (queries, parameters) => {
    const parsed = parseDifferences(parameters, Date.now(), inspector.runs.lookup)
    const { query, selection, baseline, problem, notices } = parsed
    if (problem !== undefined) return Response.json(problem, { status: 400, headers: DYNAMIC_HEADERS })
    const filters = { selection: selection.filter, baseline: baseline.filter }
    const differences = differencesToJson(await queries.traceDifferences(query), filters)
    return json(differences, parameters.noticesWith(notices))
  })
}
