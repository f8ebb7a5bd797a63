import { percentDecoded } from "../../protocol/percent-decoded.ts"
import { splitPath } from "./matcher.ts"

/** The route that a page shows, or that a server serves. */
export interface CurrentRoute {
  /** Its pattern in Next's bracket form, like `/traces/[traceId]`. */
  readonly route: string
  /** Its parameters, decoded, by name. That of a catch-all is a list; an optional one without segments is absent. */
  readonly params: Readonly<Record<string, string | readonly string[]>>
}

const DYNAMIC = /^\[{1,2}(\.\.\.)?(.+?)\]{1,2}$/

/**
 * Reads the parameters of a route from a path that it matches.
 *
 * @param path without the base path, percent-encoded.
 * @returns `undefined` if the path does not match, as that of a rewrite.
 */
export function routeParams(route: string, path: string): CurrentRoute["params"] | undefined {
  const parts = splitPath(path)
  const params: Record<string, string | readonly string[]> = {}
  for (const segment of splitPath(route)) {
    const [, dots, name] = DYNAMIC.exec(segment) ?? []
    if (dots !== undefined && name !== undefined) {
      const rest = parts.splice(0).map(percentDecoded)
      if (rest.length > 0) params[name] = rest
      else if (!segment.startsWith("[[")) return undefined
      continue
    }
    const part = parts.shift()
    if (part === undefined || (name === undefined && percentDecoded(part) !== percentDecoded(segment))) return undefined
    if (name !== undefined) params[name] = percentDecoded(part)
  }
  return parts.length === 0 ? params : undefined
}
