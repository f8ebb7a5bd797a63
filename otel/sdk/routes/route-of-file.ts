import { buildManifest } from "./build-manifest.ts"

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
 * and of the edge runtime, and before version 16 in the spans of a route handler.
 */
export function routeOf(path: string): string {
  const route = path.replace(FILE_OF_ROUTE, "") || "/"
  return route !== path && !servedRoutes().has(path) && servedRoutes().has(route) ? route : path
}
