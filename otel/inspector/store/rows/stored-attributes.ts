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

/** JSON of what the attribute columns do not hold, of one bag or of all bags of a span; empty if they hold everything. */
export interface BagsText {
  readonly types: string
  readonly exact: string
}

/** What the columns do not hold of a bag, as text. */
export function bagText(attributes: Attributes): BagsText {
  const { types, exact } = typesOfBag(attributes)
  return {
    types: types === undefined ? "" : JSON.stringify(types),
    exact: exact === undefined ? "" : JSON.stringify(exact),
  }
}

/** Different types of the attributes of spans that are remembered. */
const KNOWN_LIMIT = 1_000

/** More than the types of plain values. */
const TYPES = 8

/** A column of attributes, whose keys have numbers. */
interface KeyedColumn {
  readonly keys: { textAt(index: number): string }
}

interface Known {
  readonly codes: readonly number[]
  readonly text: BagsText
}

/** Spans of one kind have attributes of the same names and types: their text is made once. */
export class KnownTypes {
  #column: KeyedColumn | undefined
  /** By a hash of the codes. Of two with the same hash, the last one is known. */
  readonly #known = new Map<number, Known>()
  /** Of each attribute in the bag that is no text: the number of its key, and its type. */
  #codes: number[] = []
  #values: AttributeValue[] = []
  #hash = 0

  /** Starts a bag. The numbers of keys are those of the column. */
  start(column: KeyedColumn): this {
    if (column !== this.#column || this.#known.size > KNOWN_LIMIT) this.#known.clear()
    this.#column = column
    this.#codes.length = 0
    this.#values.length = 0
    this.#hash = 0
    return this
  }

  add(key: number, type: number, value: AttributeValue): void {
    const code = key * TYPES + type
    this.#hash = (Math.imul(this.#hash, 31) + code) | 0
    this.#codes.push(code)
    this.#values.push(value)
  }

  text(): BagsText {
    const codes = this.#codes
    const known = this.#known.get(this.#hash)
    if (known?.codes.length === codes.length && codes.every((code, index) => code === known.codes[index]))
      return known.text
    const keyOf = (code: number) => this.#column?.keys.textAt(Math.floor(code / TYPES)) ?? ""
    const text = bagText(new Map(codes.map((code, index) => [keyOf(code), this.#values[index] ?? null])))
    this.#known.set(this.#hash, { codes: [...codes], text })
    return text
  }
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
