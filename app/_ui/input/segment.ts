/** A lone surrogate, which cannot be URL-encoded. */
const LONE = /\p{Surrogate}/gu
const ESCAPED = /^(?:~.*|\.{0,2})$/s

/**
 * Any text as one segment of a URL path. A text that a URL cannot hold as a segment (empty, `.`, `..`) or that starts with
 * `~` is prefixed with `~`.
 */
export function toSegment(text: string): string {
  return encodeURIComponent((ESCAPED.test(text) ? `~${text}` : text).replace(LONE, "\uFFFD"))
}

/** The text of an encoded segment; `undefined` when it is not UTF-8. */
export function fromSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment).replace(/^~/, "")
  } catch {
    return undefined
  }
}
