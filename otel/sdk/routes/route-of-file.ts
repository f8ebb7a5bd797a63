import { NOT_FOUND_ROUTE } from "../filters.ts"
import { buildManifest } from "./build-manifest.ts"

/** The route of the 404 page before Next 16, and in the Pages Router. */
export const STATUS_PAGE = "/404"
const FILE_OF_ROUTE = /\/(?:page|route)$/

/** Of the app. `undefined` until it is needed. */
let served: ReadonlySet<string> | undefined

function servedRoutes(): ReadonlySet<string> {
  if (served === undefined) {
    const { routes, handlers } = buildManifest()
    served = new Set([...routes, ...handlers])
  }
  return served
}

/**
 * The route of a path that Next gives, which may be that of the route's file, like `/api/items/route`: for errors of server actions
 * and of the edge runtime, and before version 16 in the spans of a route handler. That of the 404 page is the one that its pages have.
 */
export function routeOf(path: string): string {
  if (path === STATUS_PAGE && !servedRoutes().has(path)) return NOT_FOUND_ROUTE
  const route = path.replace(FILE_OF_ROUTE, "") || "/"
  return route !== path && !servedRoutes().has(path) && servedRoutes().has(route) ? route : path
}
