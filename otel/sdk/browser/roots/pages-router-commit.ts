import { NOT_FOUND_ROUTE, type RouteCommit } from "./route-name.ts"

/** What the Pages Router shows for an address that nothing serves, and for an error. */
const NOT_FOUND = "/404"
const ERROR = "/_error"

/** @param route as the Pages Router names what it shows now: in bracket form, and of a rewrite its destination. */
export function pagesRouterCommit(route: string): RouteCommit {
  const { pathname, search } = window.location
  const pattern = route === NOT_FOUND ? NOT_FOUND_ROUTE : route
  return { pathname, search, tree: route === ERROR ? undefined : { pattern, values: pathname } }
}
