import { isSecretParameter } from "../../protocol/redact.ts"

const DYNAMIC = /^\[{1,2}(?:\.\.\.)?(.+?)\]{1,2}$/

/**
 * Where the path of a route has the values of parameters that are secrets by their names, like `/reset/[token]`. The build finds
 * them, because a page starts without the names of secrets.
 *
 * @returns indexes among the segments of the path. They count from its end: a rewrite may leave out or add a locale in front. The
 *   length of a route with a catch-all is not known: its index counts from the start, and means all that follows.
 */
export function secretSegments(route: string, basePath: string): readonly number[] {
  const segments = route.split("/")
  const found = segments.flatMap((segment, index) => (isSecretParameter(nameOf(segment)) ? [index] : []))
  const [first] = found
  if (first === undefined || !route.includes("[...")) return found.map((index) => index - segments.length)
  return [first + basePath.split("/").length - 1]
}

function nameOf(segment: string): string {
  return DYNAMIC.exec(segment)?.[1] ?? ""
}
