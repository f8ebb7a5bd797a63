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
  const parts = segmentsOf(path)
  const params: Record<string, string | readonly string[]> = {}
  for (const segment of segmentsOf(route)) {
    const [, dots, name] = DYNAMIC.exec(segment) ?? []
    if (dots !== undefined && name !== undefined) {
      const rest = parts.splice(0).map(decode)
      if (rest.length > 0) params[name] = rest
      else if (!segment.startsWith("[[")) return undefined
      continue
    }
    const part = parts.shift()
    if (part === undefined || (name === undefined && decode(part) !== decode(segment))) return undefined
    if (name !== undefined) params[name] = decode(part)
  }
  return parts.length === 0 ? params : undefined
}

function segmentsOf(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "")
}

/** A malformed escape, which the visitor typed, stays as it is. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
