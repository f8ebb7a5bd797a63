import { type AttributeValue, base64 } from "../../../protocol/records/attributes.ts"

/**
 * A structured value with its types, as JSON: strings, booleans, null and ordinary doubles are themselves; the rest
 * stands in an object with one key. Used for the few values that the collector's text does not give back.
 */
export type ExactValue =
  | string
  | boolean
  | number
  | null
  | ExactValue[]
  | { readonly int: string }
  | { readonly double: string }
  | { readonly bytes: string }
  | { readonly pairs: readonly (readonly [string, ExactValue])[] }

export function toExact(value: AttributeValue): ExactValue {
  if (typeof value === "bigint") return { int: String(value) }
  if (typeof value === "number")
    return isPlainDouble(value) ? value : { double: Object.is(value, -0) ? "-0" : String(value) }
  if (value instanceof Uint8Array) return { bytes: base64(value) }
  if (Array.isArray(value)) return value.map(toExact)
  if (value instanceof Map) return { pairs: [...value].map(([key, inner]) => [key, toExact(inner as AttributeValue)]) }
  return value as string | boolean | null
}

export function fromExact(value: ExactValue): AttributeValue {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(fromExact)
  if ("int" in value) return BigInt(value.int)
  if ("double" in value) return Number(value.double)
  if ("bytes" in value) return new Uint8Array(Buffer.from(value.bytes, "base64"))
  return new Map(value.pairs.map(([key, inner]) => [key, fromExact(inner)]))
}

/** Whether JSON text gives the number back: finite, and no negative zero. */
export function isPlainDouble(value: number): boolean {
  return Number.isFinite(value) && !Object.is(value, -0)
}
