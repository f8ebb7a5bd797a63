/** Patterns in which `*` matches any text: of filters and of budgets. */

/**
 * Whether a whole text matches a pattern.
 *
 * @example matchesPattern("SELECT items", "SELECT *") // true
 */
export function matchesPattern(text: string, pattern: string): boolean {
  return pattern.includes("*") ? matchesPieces(text, pattern.split("*")) : text === pattern
}

/**
 * Whether a whole text has the pieces in their order, with any text between two of them. Linear in the length of the text:
 * each piece matches at its first occurrence.
 *
 * @param pieces of a pattern, at least two. The text begins with the first and ends with the last.
 */
export function matchesPieces(text: string, pieces: readonly string[]): boolean {
  const first = pieces[0] ?? ""
  const last = pieces.at(-1) ?? ""
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false
  let at = first.length
  const end = text.length - last.length
  for (const piece of pieces.slice(1, -1)) {
    const found = text.indexOf(piece, at)
    if (found === -1 || found + piece.length > end) return false
    at = found + piece.length
  }
  return at <= end
}
