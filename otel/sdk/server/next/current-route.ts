import { processState } from "../../process-state.ts"
import { type CurrentRoute, routeParams } from "../../routes/current-route.ts"
import type { WorkStores } from "./work-stores.ts"

const reader = processState<() => CurrentRoute | undefined>("current-route")

/** All bundles of this process share what finds the route. */
export function setCurrentRoute(read: () => CurrentRoute | undefined): void {
  reader.value = read
}

/** The route of the request that this code works for. `undefined` outside of one. */
export function currentServerRoute(): CurrentRoute | undefined {
  return reader.value?.()
}

/**
 * The route of a request of the App Router. Of a rewritten address Next knows only what the visitor asked for, which has no
 * parameters of the route. There is none inside a function with `use cache`, whose result outlives the request,
 * nor in a prerender, where Next knows no path.
 */
export function currentRouteIn({ works, units }: WorkStores, basePath: string): CurrentRoute | undefined {
  const route = works.getStore()?.route
  const pathname = units.getStore()?.url?.pathname
  if (route === undefined || pathname === undefined) return undefined
  return { route, params: routeParams(route, withoutBasePath(pathname, basePath)) ?? {} }
}

function withoutBasePath(pathname: string, basePath: string): string {
  return basePath !== "" && `${pathname}/`.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) : pathname
}
