import { percentDecoded } from "../../../protocol/percent-decoded.ts"
import { buildManifest } from "../../routes/build-manifest.ts"
import { type CurrentRoute, routeParams } from "../../routes/current-route.ts"
import { createRouteMatcher } from "../../routes/matcher.ts"
import { type RouterNode, routerRoot, routerTree } from "./router-tree.ts"

/** The route of the page that the router shows, and its parameters. Part of a page only where the app asks for it. */
export function shownPage(): CurrentRoute | undefined {
  const { basePath, routes } = buildManifest()
  const matcher = createRouteMatcher(routes, basePath)
  const { pathname } = window.location
  const path = pathname.slice(basePath.length)
  const byPath = matcher.matchPath(pathname)
  const { pattern } = routerTree() ?? {}
  const root = routerRoot()
  const byTree = pattern === undefined ? undefined : matcher.matchTree(pattern)
  // An intercepted page has the address of its own, and the tree of the page below it.
  const isByTree = root !== undefined && byTree !== undefined && !(byPath !== undefined && isIntercepting(root))
  const route = isByTree ? byTree : byPath
  const params = route === undefined ? undefined : isByTree ? treeParams(root) : routeParams(route, path)
  return route === undefined || params === undefined ? undefined : { route, params }
}

/** Whether a slot shows a page that intercepts a link. Its folder, like `(.)photo`, is in the tree. */
function isIntercepting([segment, slots]: RouterNode): boolean {
  const name = typeof segment === "string" ? segment : segment[0]
  return /^\(\.{1,3}\)/.test(name) || Object.values(slots).some((node) => node !== undefined && isIntercepting(node))
}

function treeParams(root: RouterNode): CurrentRoute["params"] {
  const params: Record<string, string | readonly string[]> = {}
  let node: RouterNode | undefined = root
  while ((node = node[1].children)) {
    const [segment] = node
    if (typeof segment === "string") continue
    const [name, value, kind] = segment
    if (kind === "d") params[name] = percentDecoded(value)
    else if (value !== "") params[name] = value.split("/").map(percentDecoded)
  }
  return params
}
