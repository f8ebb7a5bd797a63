import type { AttributeValue } from "../../../protocol/records/attributes.ts"
import { type BagsText, bagText, type SpanBlock } from "./span-block.ts"

/** Different types of the attributes of spans that are remembered. */
const KNOWN_LIMIT = 1_000

interface Known {
  readonly codes: readonly number[]
  readonly text: BagsText
}

/** Spans of one kind have attributes of the same names and types: their text is made once. */
export class KnownTypes {
  #column: SpanBlock["columns"]["trace"]["SpanAttributes"] | undefined
  /** By a hash of the codes. Of two with the same hash, the last one is known. */
  readonly #known = new Map<number, Known>()
  /** Of each attribute in the bag that is no text: the number of its key, and its type. */
  #codes: number[] = []
  #values: AttributeValue[] = []
  #hash = 0

  /** Starts a bag. The numbers of keys are those of the column. */
  start(column: SpanBlock["columns"]["trace"]["SpanAttributes"]): this {
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

/** More than the types of plain values. */
const TYPES = 8
