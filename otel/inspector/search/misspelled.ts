import { type Field, FIELDS } from "./fields.ts"
import { tokenize } from "./tokens.ts"

/**
 * One sentence for each key of a filter that is no field and is spelled almost like one: `servic:x` asks for an attribute
 * called `servic`, which is allowed, and finds nothing.
 *
 * @param fields of the language. Default: those of traces.
 * @example misspelledFields("servic:shop") // ["servic is read as an attribute. Did you mean service?"]
 */
export function misspelledFields(filter: string, fields: readonly Field[] = FIELDS): string[] {
  const names = fields.map((field) => field.key)
  const sentences = keysOf(filter).flatMap((key) => {
    const field = nearestField(key, names)
    return field === undefined ? [] : [`${key} is read as an attribute. Did you mean ${field}?`]
  })
  return [...new Set(sentences)]
}

/** The keys that a filter names, at any depth. */
export function keysOf(filter: string): string[] {
  return tokenize(filter).flatMap((token) =>
    token.type === "term" && token.key !== undefined && !token.key.isQuoted ? [token.key.text] : [],
  )
}

/** Names of attributes have dots. A shorter key is as close to many words. */
const SHORTEST = 3
const LONGEST = 20

function nearestField(key: string, names: readonly string[]): string | undefined {
  const written = key.toLowerCase()
  if (written.includes(".") || written.length < SHORTEST || written.length > LONGEST) return undefined
  return names.includes(key) ? undefined : nearestName(key, names)
}

/** The name that a person most likely meant: with one mistake, in a long word with two. Case does not count. */
export function nearestName(text: string, names: readonly string[]): string | undefined {
  const written = text.toLowerCase()
  const limit = written.length >= 6 ? 2 : 1
  const near = names
    .map((name) => ({ name, mistakes: distance(written, name.toLowerCase()) }))
    .sort((a, b) => a.mistakes - b.mistakes)
  return near[0] !== undefined && near[0].mistakes <= limit ? near[0].name : undefined
}

/** Letters to add, remove, replace, or exchange with their neighbor: the optimal string alignment distance. */
function distance(a: string, b: string): number {
  let before: number[] = []
  let above = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      let least = Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (above[j - 1] ?? 0) + same)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, (before[j - 2] ?? 0) + 1)
      row.push(least)
    }
    before = above
    above = row
  }
  return above[b.length] ?? 0
}
