import { type AttributeValue, type Attributes, attributeText, base64 } from "../../../protocol/records/attributes.ts"

/**
 * The collector's columns keep every attribute as text. This keeps beside it, in a few bytes, what the text cannot
 * say: the names of the attributes that are not strings, by type. Spans of one kind have the same names and types, so
 * the column holds few distinct values and compresses to almost nothing. Only a structured value that JSON cannot
 * express (64-bit integers, bytes, infinities inside arrays and maps) is kept a second time, exactly.
 */

/** Names by type: integer, double, boolean, bytes, null, structure (in the text as JSON), exact (kept beside). */
type TypeCode = "i" | "d" | "b" | "x" | "n" | "j" | "e"

export type AttributeTypes = { readonly [code in TypeCode]?: readonly string[] }
export type ExactAttributes = Readonly<Record<string, ExactValue>>

/** What the text of an attribute bag does not say. */
export interface BagTypes {
  readonly types: AttributeTypes | undefined
  readonly exact: ExactAttributes | undefined
}

/** An attribute bag in the parts that its row is made of. */
export interface StoredAttributes extends BagTypes {
  readonly text: Readonly<Record<string, string>>
}

export function storeAttributes(attributes: Attributes): StoredAttributes {
  // `fromEntries` defines properties: a name like `__proto__` stays a name.
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
  // Sorted, so that the order in which an SDK sets attributes does not make another distinct value.
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

/** The attributes as they were. Without types, as for rows that a collector wrote, every value is text. */
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

/** The value of its type, or the text itself where it is not of that type (another source's row of the same span). */
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
    return text // not the text that these types belong to
  }
}

function fromJson(value: unknown): AttributeValue {
  if (Array.isArray(value)) return value.map(fromJson)
  if (typeof value !== "object" || value === null) return value as string | number | boolean | null
  return new Map(Object.entries(value).map(([key, inner]) => [key, fromJson(inner)]))
}

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
