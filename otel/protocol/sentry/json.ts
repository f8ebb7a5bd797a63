import { ATTRIBUTE_VALUE_LIMIT_BYTES } from "../limits.ts"
import { scanJson } from "../otlp/scan.ts"
import type { ItemReader } from "./item-reader.ts"

export type JsonObject = Readonly<Record<string, unknown>>

const NOTHING: JsonObject = Object.freeze({})

/** Parses bytes as JSON at a bounded cost; `undefined` for what is not JSON or costs too much. Long integers come as text. */
export function parseJson(bytes: Uint8Array): unknown {
  const scan = scanJson(bytes)
  if (!scan.ok) return undefined
  try {
    return JSON.parse(scan.text)
  } catch {
    // The only failure is that it is no JSON, which the answer says.
    return undefined
  }
}

export function parseObject(bytes: Uint8Array): JsonObject | undefined {
  const value = parseJson(bytes)
  return isObject(value) ? value : undefined
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** The object, or an empty one. Its keys come from outside: read it by names that we know. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : NOTHING
}

/** The list, also in the form `{ values: [...] }` that Sentry's interfaces have; empty for anything else. */
export function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  const { values } = objectOf(value)
  return Array.isArray(values) ? values : []
}

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
