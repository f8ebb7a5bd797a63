import type { Inspector } from "../inspector.ts"
import { parseDropQuery, UNLIMITED_AGE } from "../queries/drops/drop-query.ts"
import { dropToJson } from "../queries/drops/drop-reader.ts"
import { page, problem, respond } from "./respond.ts"

/** `GET /api/dropped`: a page of drop records, newest first, by the same query parameters as the screen. */
export function listDropped(inspector: Inspector, request: Request): Promise<Response> {
  return respond(inspector, request, async (queries, parameters) => {
    const { query, refusal, notices } = parseDropQuery(parameters, Date.now(), UNLIMITED_AGE)
    if (refusal !== undefined) return problem(400, refusal)
    const { drops, next } = await queries.drops(query)
    return page({ dropped: drops.map(dropToJson) }, next, parameters.noticesWith(notices))
  })
}
