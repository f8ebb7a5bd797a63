import type { SpanRecord } from "../../../../protocol/records/span.ts"
import { valueText } from "../span-detail.ts"

/** What a call went to, by its attributes: a URL, a query, a method. Spans of one name can have different targets. */

/** Attributes that name a target, current and deprecated. */
const TARGET_KEYS: readonly string[] = [
  "http.request.method",
  "http.method",
  "url.full",
  "http.url",
  "url.path",
  "url.query",
  "server.address",
  "server.port",
  "db.query.text",
  "db.statement",
  "db.collection.name",
  "rpc.service",
  "rpc.method",
  "messaging.destination.name",
]
/** Values of a query's parameters. They belong to the target, but not to its shape. */
const PARAMETER = /^db\.(?:query\.parameter|operation\.parameter|statement\.parameter)\./

/** The target as one text; empty when no attribute names one. */
export function targetOf({ attributes }: SpanRecord): string {
  const parameters = [...attributes]
    .filter(([key]) => PARAMETER.test(key))
    .map(([key, value]) => [key, valueText(value)])
  return textOf(attributes, parameters)
}

/** The target without its values: one text for all calls that a loop makes with different ids. */
export function shapeOf({ attributes }: SpanRecord): string {
  return withoutValues(textOf(attributes, []))
}

function textOf(attributes: SpanRecord["attributes"], parameters: readonly (readonly string[])[]): string {
  const named = TARGET_KEYS.flatMap((key) => {
    const value = attributes.get(key)
    return value === undefined ? [] : [[key, valueText(value)]]
  })
  return [...named, ...parameters].map((pair) => pair.join("=")).join("\n")
}

/** Longest part of a target that is compared. */
const TEXT_LIMIT = 4_000

function withoutValues(text: string): string {
  return text
    .slice(0, TEXT_LIMIT)
    .replace(/'[^'\n]*'/g, "?")
    .replace(/\b[0-9a-f]{8,64}\b|\b[0-9a-f-]{36}\b/gi, "?")
    .replace(/\d+/g, "?")
    .replace(/\?(?:\s*,\s*\$?\?)+/g, "?")
}

/** Query parameters of URLs by which clients turn pages. */
const PAGE_PARAMETER =
  /([?&](?:page|p|offset|skip|start|start_?index|from|cursor|after|before|starting_after|page_?token|next_?token|continuation_?token)=)[^&#\s]*/gi

/**
 * Whether the calls read one list page by page: each needs the answer of the one before. By URLs that differ in a page
 * parameter only, or by ordered queries with an offset or with the key that the page before ended with.
 */
export function turnsPages(records: readonly SpanRecord[]): boolean {
  const urls = records.map((record) => `?${read(record, ["url.full", "http.url", "url.query"])}`)
  const distinct = new Set(urls)
  if (distinct.size > 1 && new Set(urls.map((url) => url.replace(PAGE_PARAMETER, "$1"))).size === 1) return true
  const queries = records.map((record) => read(record, ["db.query.text", "db.statement"]).slice(0, TEXT_LIMIT))
  return new Set(queries.map(withoutValues)).size === 1 && isPagedQuery(queries)
}

/** Queries of one shape: ordered, and cut by an offset that moves or by the last key of the page before. */
function isPagedQuery(queries: readonly string[]): boolean {
  const words = (queries[0] ?? "").toLowerCase().split(/[\s(),;]+/)
  if (!words.includes("order") || !(words.includes("limit") || words.includes("fetch"))) return false
  const compares = words.some((word) => word.includes("<") || word.includes(">"))
  const equals = words.some((word) => word.includes("=") && !/[<>!]/.test(word))
  if (compares && !equals) return true
  const offsets = queries.map((query) => /\boffset\s+(\S+)/i.exec(query)?.[1])
  if (offsets[0] === undefined) return false
  // Of a placeholder nobody knows the value. A loop that looks one thing up at a time compares with an equals sign.
  return /^\d/.test(offsets[0]) ? new Set(offsets).size > 1 : !equals
}

function read({ attributes }: SpanRecord, keys: readonly string[]): string {
  for (const key of keys) {
    const value = attributes.get(key)
    if (value !== undefined) return valueText(value)
  }
  return ""
}
