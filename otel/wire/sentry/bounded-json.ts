import { ATTRIBUTE_VALUE_LIMIT_BYTES } from "../../model/limits.ts"
import type { ItemReader } from "./item-reader.ts"
import { isObject } from "./parse-json.ts"

/**
 * JSON text of at most 64 KiB of what a screen shows as it is. It stays valid JSON: a list loses its oldest entries, an
 * object its largest ones, and what is left out is counted. Empty text for nothing.
 */
export function boundedJson(reader: ItemReader, value: unknown, what: string): string {
  const isEmpty = Array.isArray(value) ? value.length === 0 : !isObject(value) || Object.keys(value).length === 0
  if (isEmpty) return ""
  const text = JSON.stringify(value)
  if (Buffer.byteLength(text) <= ATTRIBUTE_VALUE_LIMIT_BYTES) return text
  return Array.isArray(value)
    ? `[${newestEntries(reader, value, what).join(",")}]`
    : `{${smallestEntries(reader, value as object, what).join(",")}}`
}

function newestEntries(reader: ItemReader, values: readonly unknown[], what: string): string[] {
  const texts = values.map((value) => JSON.stringify(value) ?? "null")
  const kept = texts.slice(texts.length - firstWithin(texts.toReversed()))
  reader.cut("limit_attributes", `${what} past ${ATTRIBUTE_VALUE_LIMIT_BYTES} bytes`, texts.length - kept.length)
  return kept
}

function smallestEntries(reader: ItemReader, value: object, what: string): string[] {
  const texts = Object.entries(value).map(([key, held]) => `${JSON.stringify(key)}:${JSON.stringify(held) ?? "null"}`)
  const bySize = texts.toSorted((a, b) => a.length - b.length)
  const kept = new Set(bySize.slice(0, firstWithin(bySize)))
  reader.cut("limit_attributes", `${what} past ${ATTRIBUTE_VALUE_LIMIT_BYTES} bytes`, texts.length - kept.size)
  return texts.filter((text) => kept.has(text))
}

/** How many of the texts, from the first on, fit with their commas. */
function firstWithin(texts: readonly string[]): number {
  let left = ATTRIBUTE_VALUE_LIMIT_BYTES - 2
  let count = 0
  for (const text of texts) {
    left -= Buffer.byteLength(text) + 1
    if (left < 0) break
    count += 1
  }
  return count
}
