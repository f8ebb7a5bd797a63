import type { Range, TextTest } from "./tree.ts"

/** Compares as the store does: to the letter, but for `contains`, which has no capital letters. */
export function matchesText(test: TextTest, text: string): boolean {
  switch (test.is) {
    case "anything":
      return true
    case "equal":
      return text === test.text
    case "contains":
      return text.toLowerCase().includes(test.text)
    case "pattern":
      return matchesPieces(test.pieces, text)
  }
}

/** In time proportional to the text, whatever the pieces are: each is taken where it first occurs. */
function matchesPieces(pieces: readonly string[], text: string): boolean {
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

export function isWithin<T extends number | bigint>(range: Range<T>, value: T): boolean {
  const { from, to } = range
  if (from !== undefined && (value < from || (range.fromExcluded && value === from))) return false
  return to === undefined || value < to || (value === to && !range.toExcluded)
}
