/**
 * Finds the route that Next would serve, among the patterns known from the build. Static beats dynamic beats
 * catch-all, segment by segment from the left, as in Next's own sorted routes.
 */
export interface RouteMatcher {
  /** By the path of a URL, with base path and percent-encoding as the browser has them. */
  matchPath(pathname: string): string | undefined
  /** By the segments of the router's tree below the root layout; right where a rewrite hides the route from the URL. */
  matchTree(segments: readonly string[]): string | undefined
}

/** Next's name for `default.tsx`, which stands in for a slot without a page for the address. */
const DEFAULT_SEGMENT = "__DEFAULT__"

interface Route {
  readonly pattern: string
  readonly segments: readonly string[]
}

export function createRouteMatcher(patterns: readonly string[], basePath = ""): RouteMatcher {
  const routes = patterns.map((pattern) => ({ pattern, segments: splitPath(pattern) })).sort(bySpecificity)
  return {
    matchPath(pathname) {
      const path = withoutBasePath(pathname, basePath)
      if (path === undefined) return undefined
      const parts = splitPath(path).map(decode)
      return routes.find((route) => matchesPath(route.segments, parts))?.pattern
    },
    matchTree(segments) {
      // The page of the address stands in a slot; what the tree names is what Next shows beside it.
      if (segments.includes(DEFAULT_SEGMENT)) return undefined
      const visible = segments.filter(isVisible)
      return routes.find((route) => matchesTree(route.segments, visible))?.pattern
    },
  }
}

function bySpecificity(a: Route, b: Route): number {
  const length = Math.max(a.segments.length, b.segments.length)
  for (let index = 0; index < length; index++) {
    const difference = rankAt(a, index) - rankAt(b, index)
    if (difference !== 0) return difference
  }
  return 0
}

/** The end of a route ranks between a dynamic segment and a catch-all: `/docs` beats `/docs/[[...slug]]`. */
function rankAt(route: Route, index: number): number {
  const segment = route.segments[index]
  return segment === undefined ? 1.5 : SEGMENT_RANK[segmentKind(segment)]
}

function matchesPath(segments: readonly string[], parts: readonly string[]): boolean {
  for (const [index, segment] of segments.entries()) {
    const kind = segmentKind(segment)
    if (kind === "optionalCatchAll") return true
    if (kind === "catchAll") return parts.length > index
    const part = parts[index]
    if (part === undefined || (kind === "static" && decode(segment) !== part)) return false
  }
  return segments.length === parts.length
}

/** In the tree a catch-all is one segment (`a/b/c`), and an optional one that matched nothing is absent or empty. */
function matchesTree(segments: readonly string[], tree: readonly string[]): boolean {
  for (const [index, segment] of segments.entries()) {
    const kind = segmentKind(segment)
    const part = tree[index]
    if (part === undefined || part === "") return kind === "optionalCatchAll" && index === segments.length - 1
    if (kind === "static" && decode(segment) !== decode(part)) return false
    if (kind === "dynamic" && part.includes("/")) return false
  }
  return segments.length === tree.length
}

function isVisible(segment: string): boolean {
  return !segment.startsWith("@") && !segment.startsWith("__") && !(segment.startsWith("(") && segment.endsWith(")"))
}

function withoutBasePath(pathname: string, basePath: string): string | undefined {
  if (basePath === "") return pathname
  if (pathname === basePath) return "/"
  return pathname.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) : undefined
}

/** A malformed escape is what the visitor typed: it is compared as it stands. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** What one folder name of a route pattern stands for, in the order in which Next prefers them. */
export const SEGMENT_RANK = { static: 0, dynamic: 1, catchAll: 2, optionalCatchAll: 3 } as const
export type SegmentKind = keyof typeof SEGMENT_RANK

export function segmentKind(segment: string): SegmentKind {
  if (segment.startsWith("[[...")) return "optionalCatchAll"
  if (segment.startsWith("[...")) return "catchAll"
  return segment.startsWith("[") ? "dynamic" : "static"
}

/** `/` and the empty path have no segments. */
export function splitPath(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "")
}
