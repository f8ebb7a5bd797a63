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
 * The route where Next may have given the path of its file, like `/api/items/route`: for errors of server actions and in the edge
 * runtime, and before version 16 for the span of a route handler's request.
 */
export function routeOf(path: string): string {
  const route = path.replace(FILE_OF_ROUTE, "") || "/"
  return route !== path && !servedRoutes().has(path) && servedRoutes().has(route) ? route : path
}
