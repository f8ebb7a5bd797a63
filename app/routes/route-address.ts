/**
 * Routes as segments of an address. `/items/[id]` stands at `/routes/items/%5Bid%5D`. A segment that an address cannot
 * hold (empty, `.`, `..`) or that begins with `~` gets a `~` before it, so that `/` stands at `/routes/~`. A name that is
 * no path, like `unmatched`, stands below `~name`, which no route's own segment can be.
 */

const NAME = "~name"
/** Half of a character, which no address can hold. */
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

/** The route of the segments as Next hands them over, still encoded; `undefined` for what no address of ours has held. */
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
