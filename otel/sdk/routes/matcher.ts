/**
 * Finds the route that Next serves, among the patterns of the build. Static precedes dynamic precedes catch-all, segment by
 * segment from the left, as in Next's own sorted routes.
 */
export interface RouteMatcher {
  /** Matches the path of a URL, with base path and percent-encoding as the browser has them. */
  matchPath(pathname: string): string | undefined
  /** Finds the route with the pattern that the router's tree has. It is right where a rewrite hides the route from the URL. */
  matchTree(pattern: string): string | undefined
}

interface Route {
  readonly pattern: string
  readonly segments: readonly string[]
}

export function createRouteMatcher(patterns: readonly string[], basePath = ""): RouteMatcher {
  let sorted: readonly Route[] | undefined
  // Not before the first match: a page creates a matcher for its requests when it starts.
  const routes = () =>
    (sorted ??= patterns.map((pattern) => ({ pattern, segments: splitPath(pattern) })).sort(bySpecificity))
  return {
    matchPath(pathname) {
      const path = withoutBasePath(pathname, basePath)
      if (path === undefined) return undefined
      const parts = splitPath(path).map(decode)
      return routes().find((route) => matchesPath(route.segments, parts))?.pattern
    },
    matchTree: (shown) => patterns.find((pattern) => decode(pattern) === decode(shown)),
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

/** The end of a route ranks between a dynamic segment and a catch-all: `/docs` precedes `/docs/[[...slug]]`. */
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

function withoutBasePath(pathname: string, basePath: string): string | undefined {
  if (basePath === "") return pathname
  if (pathname === basePath) return "/"
  return pathname.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) : undefined
}

/** A malformed escape, which the visitor typed, is compared unchanged. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** Kinds of segments, in the order in which Next prefers them. */
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
