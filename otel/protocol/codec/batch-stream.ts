import { ByteWriter } from "./byte-writer.ts"

/** First byte. V8's structured clone starts with 0xff. */
const FORMAT = 1

/**
 * Writes records:
 *
 * ```
 * batch = format:u8 length:u32 record* word*     length of the records
 * ```
 *
 * Each string is written once, as a word; records refer to it by number. Shared objects are also referred to by number.
 */
export class BatchWriter {
  readonly #records = new ByteWriter()
  readonly #words = new ByteWriter()
  // New maps for each batch: a cleared map keeps its earlier tables in memory for iterators.
  #numbers = new Map<string, number>()
  #shared = new Map<object, number>()

  text(value: string): void {
    this.optionalText(value)
  }

  optionalText(value: string | undefined): void {
    this.#records.varint(value === undefined ? 0 : this.#numberOf(value))
  }

  /** A small number, such as an index of an enumeration. */
  tag(value: number): void {
    this.#records.uint8(value)
  }

  /** A whole number from 0 to 2^32 - 1. */
  count(value: number): void {
    this.#records.varint(value >>> 0)
  }

  /** A double, bit for bit. */
  number(value: number): void {
    this.#records.float64(value)
  }

  /** A signed 64-bit integer. */
  integer(value: bigint): void {
    this.#records.int64(value)
  }

  time(value: bigint): void {
    this.#records.uint64(value)
  }

  bytes(value: Uint8Array): void {
    this.#records.varint(value.length)
    this.#records.bytes(value)
  }

  list<Item>(items: readonly Item[], write: (to: BatchWriter, item: Item) => void): void {
    this.#records.varint(items.length)
    for (const item of items) write(this, item)
  }

  /** An object that records share. It is one object again when it is read. */
  shared<Value extends object>(value: Value, write: (to: BatchWriter, value: Value) => void): void {
    const number = this.#shared.get(value)
    this.#records.varint(number ?? 0)
    if (number !== undefined) return
    // Nested objects get their numbers first, as in the reader.
    write(this, value)
    this.#shared.set(value, this.#shared.size + 1)
  }

  /** The encoded batch. */
  end(): Uint8Array {
    const records = this.#records.written()
    const words = this.#words.written()
    const bytes = Buffer.allocUnsafe(HEAD_BYTES + records.length + words.length)
    bytes.writeUInt8(FORMAT, 0)
    bytes.writeUInt32LE(records.length, 1)
    bytes.set(records, HEAD_BYTES)
    bytes.set(words, HEAD_BYTES + records.length)
    return bytes
  }

  /** Resets the writer. */
  clear(): void {
    this.#records.clear()
    this.#words.clear()
    this.#numbers = new Map()
    this.#shared = new Map()
  }

  #numberOf(text: string): number {
    const known = this.#numbers.get(text)
    if (known !== undefined) return known
    const number = this.#numbers.size + 1
    this.#numbers.set(text, number)
    this.#words.exactText(text)
    return number
  }
}

/** Format and length. */
export const HEAD_BYTES = 5

/** Reads what a `BatchWriter` wrote, in the same order. */
export class BatchReader {
  readonly #records: ByteReader
  readonly #words: readonly (string | undefined)[]
  readonly #shared: object[] = []

  constructor(bytes: Uint8Array) {
    this.#records = new ByteReader(bytes)
    this.#records.at = HEAD_BYTES - 4
    const end = HEAD_BYTES + this.#records.uint32()
    this.#words = readWords(this.#records, end, bytes.length)
    this.#records.at = HEAD_BYTES
  }

  /** @throws {Error} when the string is missing: the bytes are not a batch. */
  text(): string {
    const text = this.optionalText()
    if (text === undefined) throw new Error("a string of the batch is missing")
    return text
  }

  optionalText(): string | undefined {
    return this.#words[this.#records.varint()]
  }

  tag(): number {
    return this.#records.uint8()
  }

  count(): number {
    return this.#records.varint()
  }

  number(): number {
    return this.#records.float64()
  }

  integer(): bigint {
    return this.#records.int64()
  }

  time(): bigint {
    return this.#records.uint64()
  }

  /** A view of the batch's memory, not a copy. */
  bytes(): Uint8Array {
    return this.#records.bytes(this.#records.varint())
  }

  list<Item>(read: (from: BatchReader) => Item): Item[] {
    const length = this.#records.varint()
    const items: Item[] = []
    for (let index = 0; index < length; index += 1) items.push(read(this))
    return items
  }

  shared<Value extends object>(read: (from: BatchReader) => Value): Value {
    const number = this.#records.varint()
    if (number > 0) return this.#shared[number - 1] as Value
    const value = read(this)
    this.#shared.push(value)
    return value
  }
}

/** Number 0 is an absent string. */
function readWords(from: ByteReader, start: number, end: number): (string | undefined)[] {
  const words: (string | undefined)[] = [undefined]
  from.at = start
  while (from.at < end) words.push(from.exactText())
  return words
}

/** Reads what a `ByteWriter` wrote, in the same order. */
export class ByteReader {
  readonly #bytes: Buffer
  readonly #view: DataView
  #at = 0

  constructor({ buffer, byteOffset, byteLength }: Uint8Array) {
    this.#bytes = Buffer.from(buffer, byteOffset, byteLength)
    this.#view = new DataView(buffer, byteOffset, byteLength)
  }

  /** Offset of the next value. */
  get at(): number {
    return this.#at
  }

  set at(place: number) {
    this.#at = place
  }

  uint8(): number {
    const value = this.#view.getUint8(this.#at)
    this.#at += 1
    return value
  }

  uint32(): number {
    const value = this.#view.getUint32(this.#at, true)
    this.#at += 4
    return value
  }

  uint64(): bigint {
    const value = this.#view.getBigUint64(this.#at, true)
    this.#at += 8
    return value
  }

  int64(): bigint {
    const value = this.#view.getBigInt64(this.#at, true)
    this.#at += 8
    return value
  }

  float64(): number {
    const value = this.#view.getFloat64(this.#at, true)
    this.#at += 8
    return value
  }

  varint(): number {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = this.uint8()
      value |= (byte & 0x7f) << shift
      if (byte <= 0x7f) return value >>> 0
    }
  }

  exactText(): string {
    const head = this.varint()
    const isWide = head % 2 === 1
    const length = head >>> 1
    const start = this.#at
    this.#at += isWide ? length * 2 : length
    return this.#bytes.toString(isWide ? "utf16le" : "latin1", start, this.#at)
  }

  /** A view, not a copy. */
  bytes(length: number): Uint8Array {
    const { buffer, byteOffset } = this.#bytes
    const start = byteOffset + this.#at
    this.#at += length
    return new Uint8Array(buffer, start, length)
  }
}
