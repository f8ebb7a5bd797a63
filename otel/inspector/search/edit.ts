import { FIELDS, SHORT_NAMES } from "./fields.ts"
import { isBareKey, type Place, type TermToken, type Token, tokenize } from "./tokens.ts"
import type { FilterTree, SpanTree } from "./tree.ts"

/** Edits the text of a filter: completion while typing, and terms that a click toggles. */

/** A key or value as it has to be written; quotes only where it needs them. */
export function quoteIfNeeded(text: string): string {
  const [token, more] = tokenize(`k:${text}`)
  const [value] = token?.type === "term" ? token.values : []
  const isPlain = more === undefined && value?.text === text && !value.isQuoted && !/[*"]|\.\./.test(text)
  const isClass = /^\d{1,4}[xX]+$/.test(text)
  return isPlain && !isClass ? text : quoted(text)
}

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`
}

/** @param key a field. */
export function termText(key: string, value: string): string {
  return `${isBareKey(key) ? key : quoted(key)}:${quoteIfNeeded(value)}`
}

/** The same for an attribute. */
export function attributeText(name: string, value: string): string {
  return `${attributeKey(name)}:${quoteIfNeeded(value)}`
}

/** The name of an attribute as a key: quoted where it is that of a field, begins like one, or has other characters. */
export function attributeKey(name: string): string {
  const isLikeField =
    FIELDS.some((field) => field.key === name) || SHORT_NAMES.has(name) || /^(?:span|root|resource|event)\./.test(name)
  return isBareKey(name) && !isLikeField ? name : quoted(name)
}

/** Whether the filter has the term at its top level, as it is written, so that it selects nothing without the term. */
export function hasTerm(text: string, term: string): boolean {
  return placesOf(text, term).length > 0
}

/** Adds the term, or removes it if present. A term and its negation replace each other. */
export function toggleTerm(text: string, term: string): string {
  const opposite = term.startsWith("-") ? term.slice(1) : `-${term}`
  const had = hasTerm(text, term)
  const without = removeTerm(removeTerm(text, term), opposite)
  if (had) return without
  // After `OR`, the term would belong to the last alternative only.
  const isAlternative = topLevel(without).some(({ type }) => type === "OR")
  const before = isAlternative ? `(${without})` : without
  return before === "" ? term : `${before} ${term}`
}

/**
 * The filter without its top-level terms of the fields, whatever their values. `undefined` where the terms are connected by
 * words (`OR`, `AND`, `NOT`), so that they cannot be taken out one by one.
 */
export function withoutFields(text: string, fields: ReadonlySet<string>): string | undefined {
  const tokens = topLevel(text)
  if (areConnected(tokens)) return undefined
  const places = tokens.flatMap((token, index) => {
    if (token.type !== "term" || token.key === undefined || token.key.isQuoted) return []
    if (!fields.has(token.key.text)) return []
    const minus = tokens[index - 1]
    return [{ start: minus?.type === "-" && minus.end === token.start ? minus.start : token.start, end: token.end }]
  })
  return withoutPlaces(text, places)
}

/** The filter with the terms of one field in place of those that it has at its top level. */
export function replaceField(text: string, field: string, terms: readonly string[]): string {
  const others = withoutFields(text, new Set([field]))
  const before = others ?? `(${text})`
  return [...(before === "" ? [] : [before]), ...terms].join(" ")
}

function removeTerm(text: string, term: string): string {
  return withoutPlaces(text, placesOf(text, term))
}

function withoutPlaces(text: string, places: readonly Place[]): string {
  let result = text
  for (const { start, end } of places.toReversed())
    result = `${result.slice(0, start).trimEnd()} ${result.slice(end).trimStart()}`.trim()
  return result
}

/** Whether words connect the terms, so that one cannot be taken out. */
function areConnected(tokens: readonly Token[]): boolean {
  return tokens.some(({ type }) => type === "OR" || type === "AND" || type === "NOT")
}

function placesOf(text: string, term: string): Place[] {
  const tokens = topLevel(text)
  if (areConnected(tokens)) return []
  return tokens.flatMap((token, index) => {
    if (token.type !== "term") return []
    const minus = tokens[index - 1]
    const isDenied = minus?.type === "-" && minus.end === token.start
    const start = isDenied ? minus.start : token.start
    return text.slice(start, token.end) === term ? [{ start, end: token.end }] : []
  })
}

/** Tokens outside of parentheses. */
function topLevel(text: string): Token[] {
  let depth = 0
  return tokenize(text).filter(({ type }) => {
    if (type === ")" || type === "}") depth--
    const isTop = depth <= 0
    if (type === "(" || type === "{") depth++
    return isTop
  })
}

/** The key or value at the cursor, for completion. */
export type Completing =
  | { readonly what: "key"; readonly typed: string; readonly place: Place }
  | { readonly what: "value"; readonly key: string; readonly typed: string; readonly place: Place }

export function completingAt(text: string, cursor: number): Completing {
  const token = tokenize(text).find(
    (known): known is TermToken => known.type === "term" && known.start <= cursor && cursor <= known.end,
  )
  if (token === undefined) return { what: "key", typed: "", place: { start: cursor, end: cursor } }
  const { key, operator } = token
  if (key === undefined || operator === undefined || cursor <= key.end) {
    const place = key ?? token
    return { what: "key", typed: text.slice(place.start, cursor), place: { start: place.start, end: place.end } }
  }
  const value = token.values.find(({ start, end }) => start <= cursor && cursor <= end)
  const place = value ?? { start: cursor, end: cursor }
  const typed = text.slice(place.start, cursor).replace(/^"/, "")
  return { what: "value", key: key.text, typed, place: { start: place.start, end: place.end } }
}

/** The text with the chosen completion, and the new cursor. */
export function completed(text: string, { start, end }: Place, chosen: string): { text: string; cursor: number } {
  const rest = text.slice(end)
  const space = chosen.endsWith(":") || rest.startsWith(" ") || rest.startsWith(")") ? "" : " "
  return { text: `${text.slice(0, start)}${chosen}${space}${rest}`, cursor: start + chosen.length + space.length }
}

/** The filter, without traces that have spans of these services only. */
export function withoutInternal(tree: FilterTree | undefined, services: readonly string[]): FilterTree {
  const own: SpanTree = {
    is: "or",
    nodes: services.map((text) => ({ is: "service", text: { is: "equal", text } })),
  }
  const other: FilterTree = { is: "some span", where: { is: "not", node: own } }
  return tree === undefined ? other : { is: "and", nodes: [tree, other] }
}
