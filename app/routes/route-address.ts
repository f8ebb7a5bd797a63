/**
 * Routes as URL paths: `/items/[id]` becomes `/routes/items/%5Bid%5D`. A segment that a URL cannot hold (empty, `.`, `..`) or
 * that starts with `~` is prefixed with `~`, so `/` becomes `/routes/~`. A name that is not a path, such as `unmatched`, goes
 * below `~name`, which no route segment produces.
 */

const NAME = "~name"
/** A lone surrogate, which cannot be URL-encoded. */
const LONE = /\p{Surrogate}/gu
const ESCAPED = /^(?:~.*|\.{0,2})$/s

export function routeAddress(route: string): string {
  const isPath = route.startsWith("/")
  const segments = (isPath ? route.slice(1) : route).split("/").map((part) => (ESCAPED.test(part) ? `~${part}` : part))
  const encoded = (isPath ? segments : [NAME, ...segments]).map((part) =>
    encodeURIComponent(part.replace(LONE, "\uFFFD")),
  )
  return `/routes/${encoded.join("/")}`
}

/** The route of encoded URL segments; `undefined` when `routeAddress` did not produce them. */
export function routeOf(segments: readonly string[]): string | undefined {
  try {
    const [first, ...rest] = segments.map(decodeURIComponent)
    if (first === undefined) return undefined
    const parts = (first === NAME ? rest : [first, ...rest]).map((part) =>
      part.startsWith("~") ? part.slice(1) : part,
    )
    return `${first === NAME ? "" : "/"}${parts.join("/")}`
  } catch {
    return undefined
  }
}
