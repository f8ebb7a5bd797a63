import { ByteWriter } from "../../../protocol/codec/byte-writer.ts"
import { hashOfBytes } from "../../../protocol/otlp/wire.ts"
import type { Column } from "./column.ts"

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

/** More texts than these are found by their strings. */
const KNOWN_TEXTS = 4_096
/** Slots of a hash table that is at most half full. */
const KNOWN_SLOTS = 2 * KNOWN_TEXTS

/** Finds texts of a dictionary by their bytes, without a string for each value. */
class KnownBytes {
  #count = 0
  /** In each slot, the place of an entry in `#entries`, plus one. */
  readonly #slots = new Uint16Array(KNOWN_SLOTS)
  readonly #entries: { readonly at: number; readonly length: number; readonly index: number }[] = []

  constructor(private readonly dictionary: ByteWriter) {}

  find(from: Buffer, start: number, end: number): number | undefined {
    const length = end - start
    for (let slot = hashOfBytes(from, start, end); ; slot += 1) {
      const place = this.#slots[slot % KNOWN_SLOTS] ?? 0
      if (place === 0) return undefined
      const entry = this.#entries[place - 1]
      if (entry?.length === length && this.dictionary.matches(entry.at, from, start, end)) return entry.index
    }
  }

  /** Adds the text that was written to the dictionary last. */
  add(from: Buffer, start: number, end: number, index: number): void {
    const length = end - start
    const at = this.dictionary.length - length
    if (this.#count >= KNOWN_TEXTS) return
    let slot = hashOfBytes(from, start, end)
    while (this.#slots[slot % KNOWN_SLOTS] !== 0) slot += 1
    this.#count += 1
    this.#entries.push({ at, length, index })
    this.#slots[slot % KNOWN_SLOTS] = this.#count
  }

  /** Call when the dictionary is cleared. */
  clear(): void {
    this.#count = 0
    this.#entries.length = 0
    this.#slots.fill(0)
  }
}
