import { ByteWriter } from "../../../protocol/codec/byte-writer.ts"
import type { Column } from "./column.ts"
import { KnownBytes } from "./known-bytes.ts"

/** `LowCardinality(String)`: a dictionary of texts, and an index into it for each value. */
export class LowCardinalityColumn implements Column<string> {
  readonly type = "LowCardinality(String)"
  readonly #indexes = new Map<string, number>()
  /** The same texts as in `#indexes`, by their index. */
  readonly #texts: string[] = []
  readonly #dictionary = new ByteWriter()
  readonly #values = new IndexList()
  readonly #known = new KnownBytes(this.#dictionary)

  get size(): number {
    return this.#dictionary.length + this.#values.length
  }

  get count(): number {
    return this.#values.length
  }

  add(value: string): void {
    this.#values.push(this.#indexes.get(value) ?? this.#learn(value))
  }

  /** Adds the text of a range of bytes, and returns its index in the dictionary. */
  addUtf8(from: Buffer, start: number, end: number): number {
    const index = this.#known.find(from, start, end) ?? this.#learnUtf8(from, start, end)
    this.#values.push(index)
    return index
  }

  /** A text of the dictionary. */
  textAt(index: number): string {
    return this.#texts[index] ?? ""
  }

  #learn(value: string): number {
    const index = this.#indexes.size
    this.#indexes.set(value, index)
    this.#texts.push(value)
    this.#dictionary.text(value)
    return index
  }

  #learnUtf8(from: Buffer, start: number, end: number): number {
    const value = from.toString("utf8", start, end)
    const known = this.#indexes.get(value)
    if (known !== undefined) return known
    const index = this.#learn(value)
    this.#known.add(from, start, end, index)
    return index
  }

  /** Adds the values of a range again. */
  again(start: number, end: number): void {
    for (let index = start; index < end; index += 1) this.#values.push(this.#values.at(index))
  }

  /** The version of the serialization: each block has its own dictionary. */
  writePrefix(to: ByteWriter): void {
    to.uint32As64(1)
  }

  writeValues(to: ByteWriter): void {
    if (this.#values.length === 0) return
    const size = this.#indexes.size
    const width = size <= 0x100 ? INDEX_WIDTHS.uint8 : size <= 0x1_0000 ? INDEX_WIDTHS.uint16 : INDEX_WIDTHS.uint32
    to.uint32As64(OWN_DICTIONARY | width)
    to.uint32As64(size)
    to.bytes(this.#dictionary.written())
    to.uint32As64(this.#values.length)
    const values = this.#values.list()
    if (width === INDEX_WIDTHS.uint8) for (const value of values) to.uint8(value)
    else if (width === INDEX_WIDTHS.uint16) for (const value of values) to.uint16(value)
    else for (const value of values) to.uint32(value)
  }

  clear(): void {
    this.#indexes.clear()
    this.#texts.length = 0
    this.#dictionary.rewind()
    this.#values.clear()
    this.#known.clear()
  }
}

/** Codes of the width of an index. */
const INDEX_WIDTHS = { uint8: 0, uint16: 1, uint32: 2 }
/** Flags: the block contains its dictionary, and does not use an earlier one. */
const OWN_DICTIONARY = (1 << 9) | (1 << 10)

const FIRST_INDEXES = 256

/** A growing list of numbers that keeps its memory. */
class IndexList {
  #numbers = new Uint32Array(FIRST_INDEXES)
  #length = 0

  get length(): number {
    return this.#length
  }

  at(index: number): number {
    return this.#numbers[index] ?? 0
  }

  push(number: number): void {
    if (this.#length === this.#numbers.length) {
      const grown = new Uint32Array(2 * this.#length)
      grown.set(this.#numbers)
      this.#numbers = grown
    }
    this.#numbers[this.#length] = number
    this.#length += 1
  }

  /** A view that the next change changes. */
  list(): Uint32Array {
    return this.#numbers.subarray(0, this.#length)
  }

  clear(): void {
    this.#length = 0
  }
}
