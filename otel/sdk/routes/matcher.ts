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

// Kinds of segments, in the order in which Next prefers them, and the end of a route.
const STATIC = 0
const DYNAMIC = 1
const END = 2
const CATCH_ALL = 3
const OPTIONAL_CATCH_ALL = 4

interface Route {
  readonly pattern: string
  readonly segments: readonly string[]
}

export function createRouteMatcher(patterns: readonly string[], basePath = ""): RouteMatcher {
  let sorted: readonly Route[] | undefined
  // Not before the first match: a page creates a matcher for its requests when it starts. Not by `localeCompare`, for which a
  // page loads the browser's collation first: that takes longer than all matches together.
  const routes = () =>
    (sorted ??= patterns
      .map((pattern) => ({ pattern, segments: splitPath(pattern) }))
      .sort((a, b) => (rankOf(a) < rankOf(b) ? -1 : 1)))
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

/**
 * A digit for each segment, by its kind, and one for the end of the route, which ranks between a dynamic segment and a catch-all:
 * `/docs` precedes `/docs/[[...slug]]`.
 */
function rankOf({ segments }: Route): string {
  return `${segments.map(segmentKind).join("")}${END}`
}

function matchesPath(segments: readonly string[], parts: readonly string[]): boolean {
  for (const [index, segment] of segments.entries()) {
    const kind = segmentKind(segment)
    if (kind === OPTIONAL_CATCH_ALL) return true
    if (kind === CATCH_ALL) return parts.length > index
    const part = parts[index]
    if (part === undefined || (kind === STATIC && decode(segment) !== part)) return false
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

function segmentKind(segment: string): number {
  if (segment.startsWith("[[...")) return OPTIONAL_CATCH_ALL
  if (segment.startsWith("[...")) return CATCH_ALL
  return segment.startsWith("[") ? DYNAMIC : STATIC
}

/** `/` and the empty path have no segments. */
function splitPath(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "")
}
