import { percentDecoded } from "../../protocol/percent-decoded.ts"
import type { BuildManifest } from "./build-manifest.ts"
import type { SecretSegment } from "./secret-segments.ts"

/**
 * Finds the route that Next serves, among the patterns of the build. Static precedes dynamic precedes catch-all, segment by
 * segment from the left, as in Next's own sorted routes.
 */
export interface RouteMatcher {
  /** Matches the path of a URL, with base path and percent-encoding as the browser has them. */
  matchPath(pathname: string): string | undefined
  /** Finds the route with the pattern that the router's tree has. It is right where a rewrite hides the route from the URL. */
  matchTree(pattern: string): string | undefined
  /** The path of a URL without its secrets. @param route the one that it shows, which a rewrite hides from the URL. */
  publicPath(pathname: string, route?: string): string
}

// Kinds of segments, in the order in which Next prefers them, and the end of a route. A kind is the number of brackets and dots that
// a segment begins with: 0 of `about`, 1 of `[id]`, 4 of `[...path]`, 5 of `[[...path]]`.
const STATIC = 0
const END = 2
const CATCH_ALL = 4

interface Route {
  readonly pattern: string
  readonly segments: readonly string[]
}

/** @param secrets where the paths of these patterns have secrets. */
export function createRouteMatcher(
  patterns: readonly string[] = [],
  basePath = "",
  secrets?: BuildManifest["secrets"],
): RouteMatcher {
  let sorted: readonly Route[] | undefined
  // Not before the first match: a page creates a matcher for its requests when it starts. Not by `localeCompare`, for which a
  // page loads the browser's collation first: that takes longer than all matches together.
  const routes = () =>
    (sorted ??= patterns
      .map((pattern) => ({ pattern, segments: splitPath(pattern) }))
      .sort((a, b) => (rankOf(a) < rankOf(b) ? -1 : 1)))
  const matchPath = (pathname: string) => {
    const path = withoutBasePath(pathname, basePath)
    if (path === undefined) return undefined
    const parts = splitPath(path).map(percentDecoded)
    return routes().find((route) => matchesPath(route.segments, parts))?.pattern
  }
  return {
    matchPath,
    matchTree: (shown) => patterns.find((pattern) => percentDecoded(pattern) === percentDecoded(shown)),
    publicPath: (pathname, route) =>
      typeof __PAGESPAN_SECRET_PATHS__ === "undefined" || __PAGESPAN_SECRET_PATHS__
        ? publicPath(pathname, secrets?.[route ?? ""] ?? secrets?.[matchPath(pathname) ?? ""])
        : pathname,
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
    if (kind > END) return kind > CATCH_ALL || index in parts
    if (!(index in parts) || (kind === STATIC && percentDecoded(segment) !== parts[index])) return false
  }
  return segments.length === parts.length
}

function withoutBasePath(pathname: string, basePath: string): string | undefined {
  return `${pathname}/`.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) : undefined
}

function segmentKind(segment: string): number {
  return segment.search(/^(?!\[)|[^[.]/)
}

/** The rule for values of common names (`secret-assignments.ts`), whose file is loaded late. */
const OPAQUE = /^(?=.*\d)[\w%+=.~-]{6,}\/?$|^[\w%+=.~-]{20,}\/?$/

/**
 * Redacts the segments of a path that are secrets.
 *
 * @param path as the browser has it.
 * @param secrets of the route of the path.
 * @example publicPath("/reset/6f3a", [{ at: -1 }]) // "/reset/[Filtered]"
 */
function publicPath(path: string, secrets: readonly SecretSegment[] = []): string {
  // A slash at the end belongs to the last segment.
  const parts = path.split(/\/(?=.)/)
  for (const { at, ifOpaque } of secrets) {
    const value = parts.at(at)
    // Not `FILTERED`: its file is loaded late.
    if (value && (!ifOpaque || OPAQUE.test(value))) parts.splice(at, at < 0 ? 1 : parts.length, "[Filtered]")
  }
  return parts.join("/")
}

/** `/` and the empty path have no segments. */
export function splitPath(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "")
}
