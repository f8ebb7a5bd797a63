import type { Span } from "@opentelemetry/api"
import type { RouteMatcher } from "../../routes/matcher.ts"
import { ATTR_DOCUMENT_URL, ATTR_HTTP_ROUTE, ATTR_URL_PATH, ATTR_URL_TEMPLATE } from "../semconv.ts"
import { type RouterTree, routerTree } from "./router-tree.ts"

/** Path and query of a page. */
export type Place = Pick<URL, "pathname" | "search">

/** What the router shows. */
export interface RouteCommit extends Place {
  /** `undefined` where Next has not written it. */
  readonly tree: RouterTree | undefined
}

export function shownNow(): RouteCommit {
  const { pathname, search } = window.location
  return { pathname, search, tree: routerTree() }
}

export function isSameTree(a: RouteCommit | undefined, b: RouteCommit): boolean {
  return a?.tree?.values === b.tree?.values
}

/** Whether two places are one page to the router. With `trailingSlash` it receives a path without the slash that it then shows. */
export function isSamePlace(a: Place | undefined, b: Place | undefined): boolean {
  return isSamePath(a, b) && a?.search === b?.search
}

export function isSamePath(a: Place | undefined, b: Place | undefined): boolean {
  return withoutSlash(a?.pathname) === withoutSlash(b?.pathname)
}

export function withoutSlash(path = ""): string {
  return path.replace(/\/$/, "")
}

/** The route of a page, and the route of the router's tree where the two differ (an intercepted route, a rewrite). */
export interface ShownRoute {
  readonly route: string | undefined
  readonly tree: string | undefined
}

/**
 * The tree says which page was rendered, so it names a rewritten one. It does not change under an intercepted route, which the
 * URL names.
 *
 * @param path with the base path, as the browser has it.
 * @param isSame whether the tree is the one that the page showed before.
 */
export function chooseRoute(
  matcher: RouteMatcher,
  path: string,
  shown: RouterTree | undefined,
  isSame: boolean,
): ShownRoute {
  // Turbopack writes the slash into the segment, webpack does not.
  if (shown?.pattern.endsWith(NOT_FOUND_ROUTE)) return { route: NOT_FOUND_ROUTE, tree: undefined }
  const byPath = matcher.matchPath(path)
  const byTree = shown && matcher.matchTree(shown.pattern)
  const route = isSame ? (byPath ?? byTree) : (byTree ?? byPath)
  return { route, tree: byTree === byPath ? undefined : byTree }
}

/** The name of a root without a known route. A raw path would make a name for each visitor. */
const UNMATCHED = "unmatched"
/** Next's name for the page that it shows where no route matches. */
export const NOT_FOUND_ROUTE = "/_not-found"

/** Names a root by its route; the path, without secrets, is an attribute. A later call corrects the name. */
export function nameRoot(span: Span, route: string | undefined, pathname: string, matcher: RouteMatcher): void {
  const path = matcher.publicPath(pathname, route)
  const matched = route === NOT_FOUND_ROUTE ? undefined : route
  span.updateName(route ?? UNMATCHED)
  span.setAttributes({
    [ATTR_URL_PATH]: path,
    [ATTR_DOCUMENT_URL]: window.location.origin + path,
    "sentry.source": matched ? "route" : "url",
    [ATTR_HTTP_ROUTE]: matched,
    [ATTR_URL_TEMPLATE]: matched,
  })
}
