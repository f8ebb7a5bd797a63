import { fromSegment, toSegment } from "#app/_ui/input/segment.ts"

/**
 * Routes as URL paths: `/items/[id]` becomes `/routes/items/%5Bid%5D`, and `/` becomes `/routes/~`. A name that is not a
 * path, such as `unmatched`, goes below `~name`, which no route segment produces.
 */

const NAME = "~name"

export function routeAddress(route: string): string {
  const isPath = route.startsWith("/")
  const segments = (isPath ? route.slice(1) : route).split("/").map(toSegment)
  return `/routes/${(isPath ? segments : [NAME, ...segments]).join("/")}`
}

/** The route of encoded URL segments; `undefined` when `routeAddress` did not produce them. */
export function routeOf(segments: readonly string[]): string | undefined {
  const isName = segments[0] === NAME
  const parts = (isName ? segments.slice(1) : segments).map(fromSegment)
  if (segments.length === 0 || parts.includes(undefined)) return undefined
  return `${isName ? "" : "/"}${parts.join("/")}`
}
