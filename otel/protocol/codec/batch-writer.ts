import { ByteWriter } from "./byte-writer.ts"

/** Says that these are not bytes of V8's, which begin with 0xff. */
const FORMAT = 1

/**
 * What records are written with:
 *
 * ```
 * batch = format:u8 length:u32 record* word*     length is that of the records
 * ```
 *
 * A text stands once among the words and is meant by its number elsewhere; so is what several records share.
 */
export class BatchWriter {
  readonly #records = new ByteWriter()
  readonly #words = new ByteWriter()
  // New ones for each batch: a map that is cleared keeps its earlier tables in a chain, for iterators.
  #numbers = new Map<string, number>()
  #shared = new Map<object, number>()

  text(value: string): void {
    this.optionalText(value)
  }

  optionalText(value: string | undefined): void {
    this.#records.varint(value === undefined ? 0 : this.#numberOf(value))
  }

  /** Of an enumeration that a schema counts, or any other small number. */
  tag(value: number): void {
    this.#records.uint8(value)
  }

  /** A whole number from 0 to 2^32 - 1. */
  count(value: number): void {
    this.#records.varint(value >>> 0)
  }

  /** Any number, equal to its sign and its last bit. */
  number(value: number): void {
    this.#records.float64(value)
  }

  /** A whole number of 64 bits, with a sign. */
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

  /** What records have in common is the same object when it is read. */
  shared<Value extends object>(value: Value, write: (to: BatchWriter, value: Value) => void): void {
    const number = this.#shared.get(value)
    this.#records.varint(number ?? 0)
    if (number !== undefined) return
    // What is inside is numbered before what holds it, as the reader comes to know them.
    write(this, value)
    this.#shared.set(value, this.#shared.size + 1)
  }

  /** All that has been written. */
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

  /** Begins anew. */
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
