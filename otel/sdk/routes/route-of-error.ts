import { buildManifest } from "./build-manifest.ts"

const FILE_OF_ROUTE = /\/(?:page|route)$/

/** The route of an error that Next caught. For server actions and in the edge runtime, Next passes the path of the file. */
export function routeOf(routePath: string): string {
  const { routes, handlers } = buildManifest()
  const served = new Set([...routes, ...handlers])
  const route = routePath.replace(FILE_OF_ROUTE, "") || "/"
  return !served.has(routePath) && served.has(route) ? route : routePath
}
