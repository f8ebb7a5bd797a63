import { type Attributes, attributeText, type AttributeValue } from "../../../protocol/records/attributes.ts"
import { type ExactValue, fromExact, isPlainDouble, toExact } from "./exact-value.ts"

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
