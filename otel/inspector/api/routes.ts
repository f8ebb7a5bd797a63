import { DYNAMIC_HEADERS } from "../../protocol/transport/responses.ts"
import type { Inspector } from "../inspector.ts"
import { defaultKind, parseRouteQuery, searchRoutes, sortRoutes } from "../queries/routes/route-query.ts"
import { read } from "./traces.ts"

/** `GET /api/routes`: the routes of a window of time, all of them or those that have the kind of `of`, by the query parameters of the screen. Times are milliseconds. */
export function listRoutesHandler(inspector: Inspector, request: Request): Promise<Response> {
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
