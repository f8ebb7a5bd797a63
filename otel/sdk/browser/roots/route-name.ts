import type { Span } from "@opentelemetry/api"
import type { RouteMatcher } from "../../routes/matcher.ts"
import { ATTR_DOCUMENT_URL, ATTR_HTTP_ROUTE, ATTR_URL_PATH, ATTR_URL_TEMPLATE } from "../semconv.ts"

/** Path and query of a page. */
export type Place = Pick<URL, "pathname" | "search">

/** What the router shows, from its public hooks. The router has the path without the base path, the roots have it with it. */
export interface RouteCommit extends Place {
  /** The layout segments below the root layout. */
  readonly segments: readonly string[]
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
 * @param isSameTree whether the tree is the one that the page showed before.
 */
export function chooseRoute(
  matcher: RouteMatcher,
  path: string,
  segments: readonly string[],
  isSameTree: boolean,
): ShownRoute {
  if (isNotFound(segments)) return { route: NOT_FOUND_ROUTE, tree: undefined }
  const byPath = matcher.matchPath(path)
  const byTree = matcher.matchTree(segments)
  const route = isSameTree ? (byPath ?? byTree) : (byTree ?? byPath)
  return { route, tree: byTree === byPath ? undefined : byTree }
}

/** Turbopack writes the slash into the segment, webpack does not. */
function isNotFound([first, ...rest]: readonly string[]): boolean {
  return rest.length === 0 && (first === NOT_FOUND_ROUTE || `/${first}` === NOT_FOUND_ROUTE)
}

/** The name of a root without a known route. A raw path would make a name for each visitor. */
const UNMATCHED = "unmatched"
/** Next's name for the page that it shows where no route matches. */
export const NOT_FOUND_ROUTE = "/_not-found"

/** Names a root by its route; the path is an attribute. A later call corrects the name. */
export function nameRoot(span: Span, route: string | undefined, path: string): void {
  const matched = route !== undefined && route !== NOT_FOUND_ROUTE
  span.updateName(route ?? UNMATCHED)
  span.setAttributes({
    [ATTR_URL_PATH]: path,
    [ATTR_DOCUMENT_URL]: window.location.origin + path,
    "sentry.source": matched ? "route" : "url",
    ...(matched ? { [ATTR_HTTP_ROUTE]: route, [ATTR_URL_TEMPLATE]: route } : {}),
  })
}
