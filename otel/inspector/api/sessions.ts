import type { Inspector } from "../inspector.ts"
import { journeyToJson } from "../queries/sessions/journey.ts"
import { json, problem, respond } from "./respond.ts"

/** `GET /api/sessions/{id}`: the page loads, navigations and errors of one `session.id`, in order. 404 when nothing has the id. */
export function getSession(inspector: Inspector, request: Request, sessionId: string): Promise<Response> {
  return respond(inspector, request, async (queries) => {
    const session = await queries.session(sessionId)
    return session === undefined ? problem(404, "No span or error has the session id.") : json(journeyToJson(session))
  })
}
