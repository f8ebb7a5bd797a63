import { ATTRIBUTE_COUNT_LIMIT, ATTRIBUTE_VALUE_LIMIT_BYTES, DEPTH_LIMIT, NAME_LIMIT_BYTES } from "../limits.ts"
import type { Attributes, AttributeValue } from "../records/attributes.ts"
import type { DropCategory, DropReason, DropTally } from "../records/drop.ts"
import type { Nanoseconds } from "../records/time.ts"
import { cutText, ValueBudget, wellFormed } from "../records/value-limits.ts"
import { isObject, type JsonObject } from "./json.ts"

/**
 * Reads the loosely typed JSON of Sentry items. A value beyond a limit is truncated and counted, and the record is accepted. A
 * field of an unexpected type counts as absent, as in Relay.
 */
export class ItemReader {
  constructor(
    readonly tally: DropTally,
    /** When the envelope arrived, for records without a time. */
    readonly receivedAt: Nanoseconds,
    /** Records that start after this are rejected. */
    readonly latest: Nanoseconds,
  ) {}

  reject(reason: DropReason, category: DropCategory, sample: string, count = 1): void {
    this.tally.add(reason, category, sample, count)
  }

  cut(reason: DropReason, sample: string, count = 1): void {
    this.tally.add(reason, "default", sample, count)
  }

  /** Text of at most 1 KiB by default. Numbers and booleans are read as their text. */
  text(value: unknown, what: string, limitBytes = NAME_LIMIT_BYTES): string {
    if (typeof value === "number" || typeof value === "boolean") return String(value)
    if (typeof value !== "string") return ""
    const kept = cutText(wellFormed(value), limitBytes)
    if (kept.length < value.length) this.cut("limit_attributes", `${what} longer than ${limitBytes} bytes`)
    return kept
  }

  longText(value: unknown, what: string): string {
    return this.text(value, what, ATTRIBUTE_VALUE_LIMIT_BYTES)
  }

  /** The first or the last entries of the list up to the limit. The others are counted. */
  list(values: readonly unknown[], limit: number, what: string, keep: "first" | "last" = "first"): readonly unknown[] {
    if (values.length <= limit) return values
    this.cut("limit_attributes", `${what} past ${limit}`, values.length - limit)
    return keep === "first" ? values.slice(0, limit) : values.slice(-limit)
  }

  /** A JSON object as attributes, within the limits of every attribute bag. */
  attributes(value: unknown, what: string): Map<string, AttributeValue> {
    const attributes = new Map<string, AttributeValue>()
    if (isObject(value)) this.addAttributes(attributes, Object.entries(value), what)
    return attributes
  }

  addAttributes(
    into: Map<string, AttributeValue>,
    entries: readonly (readonly [string, unknown])[],
    what: string,
  ): void {
    for (const entry of this.list(entries, ATTRIBUTE_COUNT_LIMIT, what)) {
      const [key, value] = entry as readonly [string, unknown]
      this.addAttribute(into, key, value, what)
    }
  }

  addAttribute(into: Map<string, AttributeValue>, name: string, value: unknown, what: string): void {
    const key = wellFormed(name)
    if (cutText(key, NAME_LIMIT_BYTES) === key) into.set(key, this.#value(value, what, 1, undefined))
    else this.cut("limit_attributes", `a key of ${what} longer than ${NAME_LIMIT_BYTES} bytes`)
  }

  #value(value: unknown, what: string, depth: number, budget: ValueBudget | undefined): AttributeValue {
    if (typeof value === "string") {
      // Most values are short text that is not nested, which needs no budget.
      const isShort = budget === undefined && value.length * 3 <= ATTRIBUTE_VALUE_LIMIT_BYTES
      const text = wellFormed(value)
      return isShort ? text : (budget ?? new ValueBudget(this, what)).spendText(text)
    }
    if (typeof value !== "object" || value === null) {
      budget?.spendPlain()
      return plainValue(value)
    }
    if (depth > DEPTH_LIMIT) {
      this.cut("limit_attributes", `a value of ${what} nested deeper than ${DEPTH_LIMIT} levels`)
      return null
    }
    const shared = budget ?? new ValueBudget(this, what)
    return Array.isArray(value)
      ? this.#array(value, what, depth, shared)
      : this.#map(value as JsonObject, what, depth, shared)
  }

  #array(values: readonly unknown[], what: string, depth: number, budget: ValueBudget): AttributeValue[] {
    const kept: AttributeValue[] = []
    for (const value of this.list(values, ATTRIBUTE_COUNT_LIMIT, what)) {
      if (!budget.hasRoom()) break
      kept.push(this.#value(value, what, depth + 1, budget))
    }
    return kept
  }

  #map(object: JsonObject, what: string, depth: number, budget: ValueBudget): Attributes {
    const kept = new Map<string, AttributeValue>()
    for (const entry of this.list(Object.entries(object), ATTRIBUTE_COUNT_LIMIT, what)) {
      if (!budget.hasRoom()) break
      const [key, value] = entry as [string, unknown]
      kept.set(budget.spendText(wellFormed(key)), this.#value(value, what, depth + 1, budget))
    }
    return kept
  }
}

/** JSON has one type of number. A whole number is an integer, as in OpenTelemetry's JavaScript SDK. */
function plainValue(value: unknown): AttributeValue {
  if (typeof value === "number") return Number.isSafeInteger(value) && !Object.is(value, -0) ? BigInt(value) : value
  return typeof value === "boolean" ? value : null
}

/**
 * JSON text of at most 64 KiB, which a screen shows as it is. It stays valid JSON: a list loses its oldest entries, an object its
 * largest ones, and each is counted. Empty for an empty value.
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

/** The number of texts, from the first on, that fit with their commas. */
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
