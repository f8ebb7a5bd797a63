import { type Attributes, attributeText, type AttributeValue, base64 } from "../../../protocol/records/attributes.ts"

/**
 * The collector's columns hold every attribute as text. A column of ours adds the types: the names of the attributes
 * that are not strings, by type. Spans of one kind have the same names and types, so this column has few distinct values
 * and compresses to almost nothing. A structured value that JSON cannot express (64-bit integers, bytes or infinities
 * inside arrays and maps) is stored a second time, exactly.
 */

/** Types of attributes: integer, double, boolean, bytes, null, structure (its text is JSON), exact (stored twice). */
type TypeCode = "i" | "d" | "b" | "x" | "n" | "j" | "e"

export type AttributeTypes = { readonly [code in TypeCode]?: readonly string[] }
export type ExactAttributes = Readonly<Record<string, ExactValue>>

/** What the text of an attribute bag does not hold. */
export interface BagTypes {
  readonly types: AttributeTypes | undefined
  readonly exact: ExactAttributes | undefined
}

/** An attribute bag as the columns of its row. */
export interface StoredAttributes extends BagTypes {
  readonly text: Readonly<Record<string, string>>
}

export function storeAttributes(attributes: Attributes): StoredAttributes {
  // `fromEntries` defines properties, so `__proto__` is a name like any other.
  const text = Object.fromEntries([...attributes].map(([name, value]) => [name, attributeText(value)]))
  return { text, ...typesOfBag(attributes) }
}

export function typesOfBag(attributes: Attributes): BagTypes {
  let types: { [code in TypeCode]?: string[] } | undefined
  let exact: [string, ExactValue][] | undefined
  for (const [name, value] of attributes) {
    const code = typeCode(value)
    if (code === undefined) continue
    types ??= {}
    const names = (types[code] ??= [])
    names.push(name)
    if (code === "e") (exact ??= []).push([name, toExact(value)])
  }
  // Sorting makes the value independent of the order in which an SDK sets attributes.
  for (const names of Object.values(types ?? {})) names.sort()
  return { types, exact: exact && Object.fromEntries(exact) }
}

function typeCode(value: AttributeValue): TypeCode | undefined {
  if (typeof value === "string") return undefined
  if (typeof value === "bigint") return "i"
  if (typeof value === "number") return "d"
  if (typeof value === "boolean") return "b"
  if (value === null) return "n"
  if (value instanceof Uint8Array) return "x"
  return isPlainJson(value) ? "j" : "e"
}

function isPlainJson(value: AttributeValue): boolean {
  if (typeof value === "bigint" || value instanceof Uint8Array) return false
  if (typeof value === "number") return isPlainDouble(value)
  if (Array.isArray(value)) return value.every(isPlainJson)
  if (value instanceof Map) return [...value.values()].every(isPlainJson)
  return true
}

/** Restores the attributes. Without types, as in rows of a collector, every value is text. */
export function restoreAttributes(
  names: readonly string[],
  texts: readonly string[],
  types: AttributeTypes | undefined,
  exact: ExactAttributes | undefined,
): Attributes {
  const attributes = new Map<string, AttributeValue>(names.map((name, index) => [name, texts[index] ?? ""]))
  for (const [code, typed] of Object.entries(types ?? {}))
    for (const name of typed) {
      const text = attributes.get(name)
      if (typeof text === "string") attributes.set(name, restoreValue(code as TypeCode, text, exact?.[name]))
    }
  return attributes
}

/** The typed value, or the text itself if it does not parse: the types can belong to another source's row of the span. */
function restoreValue(code: TypeCode, text: string, exact: ExactValue | undefined): AttributeValue {
  if (code === "i") return /^-?\d+$/.test(text) ? BigInt(text) : text
  if (code === "d") return text !== "" && (text === "NaN" || !Number.isNaN(Number(text))) ? Number(text) : text
  if (code === "b") return text === "true" || text === "false" ? text === "true" : text
  if (code === "n") return text === "" ? null : text
  if (code === "x") return new Uint8Array(Buffer.from(text, "base64"))
  if (code === "e") return exact === undefined ? text : fromExact(exact)
  return parseStructure(text)
}

function parseStructure(text: string): AttributeValue {
  try {
    return fromJson(JSON.parse(text))
  } catch {
    return text // the types belong to another text
  }
}

function fromJson(value: unknown): AttributeValue {
  if (Array.isArray(value)) return value.map(fromJson)
  if (typeof value !== "object" || value === null) return value as string | number | boolean | null
  return new Map(Object.entries(value).map(([key, inner]) => [key, fromJson(inner)]))
}

/**
 * A structured value with its types, as JSON. Strings, booleans, null and ordinary doubles are themselves; any other
 * value is in an object with one key.
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

/** Whether JSON preserves the number: it is finite and not negative zero. */
function isPlainDouble(value: number): boolean {
  return Number.isFinite(value) && !Object.is(value, -0)
}
