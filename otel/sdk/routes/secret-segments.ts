import { isSecretKey, isSecretParameter } from "../../protocol/redact.ts"

/** A place in the paths of a route where a secret is. */
export interface SecretSegment {
  /**
   * Index among the segments of the path. Below 0 it counts from the end: a rewrite may leave out or add a locale in front. The
   * length of a route with a catch-all is not known: its index counts from the start, and means all that follows.
   */
  readonly at: number
  /** The name is a word like any other (`/countries/[code]`), so that only a value that looks like a secret is one. */
  readonly ifOpaque?: true
}

const DYNAMIC = /^\[{1,2}(?:\.\.\.)?(.+?)\]{1,2}$/

/**
 * Where the path of a route has the values of parameters that are secrets by their names, like `/reset/[token]`. The build finds
 * them, because a page starts without the names of secrets.
 */
export function secretSegments(route: string, basePath: string): readonly SecretSegment[] {
  const segments = route.split("/")
  const offset = route.includes("[...") ? basePath.split("/").length - 1 : -segments.length
  return segments.flatMap((segment, index) => {
    const name = DYNAMIC.exec(segment)?.[1] ?? ""
    if (!isSecretParameter(name)) return []
    return [{ at: index + offset, ...(!isSecretKey(name) && { ifOpaque: true as const }) }]
  })
}
