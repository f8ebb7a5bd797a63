import { parseRouteQuery } from "../query/route-query.ts"
import { defaultKind, searchRoutes, sortRoutes } from "../query/sort-routes.ts"
import { DYNAMIC_HEADERS } from "../receive/index.ts"
import type { Inspector } from "./inspector.ts"
import { read } from "./read-api.ts"

/** `GET /api/routes`: the routes of a window of time, all of them or those that have the kind of `of`, by the query parameters of the screen. Times are milliseconds. */
export function listRoutesDoor(inspector: Inspector, request: Request): Promise<Response> {
  return read(inspector, request, async ({ routes }) => {
    const { scope, search, sort, kind, notices } = parseRouteQuery(new URL(request.url).searchParams, Date.now())
    const list = await routes.listRoutes(scope)
    const found = searchRoutes(list.routes, search)
    return Response.json(
      {
        routes:
          kind === undefined && sort === undefined
            ? found
            : sortRoutes(found, sort ?? "busy", kind ?? defaultKind(list)),
        total: list.total,
        next: null,
        ...(notices.length > 0 && { notices }),
      },
      { headers: DYNAMIC_HEADERS },
    )
  })
}
