import type { Inspector } from "../inspector.ts"
import { defaultKind, parseRouteQuery, searchRoutes, sortRoutes } from "../queries/routes/route-query.ts"
import { json, respond } from "./respond.ts"

/**
 * `GET /api/routes`: the routes of a time window, by the same query parameters as the screen. All routes, unless `of` or
 * `sort` selects those with one kind of times. Times are milliseconds. `sort=change` adds the change of each median.
 */
export function listRoutes(inspector: Inspector, request: Request): Promise<Response> {
  return respond(inspector, request, async (queries, parameters) => {
    const { scope, search, sort, kind, notices } = parseRouteQuery(parameters, Date.now())
    const list = await (sort === "change" ? queries.routesWithChanges(scope) : queries.routes(scope))
    const found = searchRoutes(list.routes, search)
    const routes =
      kind === undefined && sort === undefined ? found : sortRoutes(found, sort ?? "busy", kind ?? defaultKind(list))
    return json({ routes, total: list.total, next: null }, parameters.noticesWith(notices))
  })
}
