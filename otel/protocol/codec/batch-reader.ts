import { HEAD_BYTES } from "./batch-writer.ts"
import { ByteReader } from "./byte-reader.ts"

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

  /** @throws {Error} where there is none: the bytes are not those of a batch. */
  text(): string {
    const text = this.optionalText()
    if (text === undefined) throw new Error("a text of a batch is missing")
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

  /** A view of the batch's memory. */
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

/** None has the number 0, which stands for no text. */
function readWords(from: ByteReader, start: number, end: number): (string | undefined)[] {
  const words: (string | undefined)[] = [undefined]
  from.at = start
  while (from.at < end) words.push(from.exactText())
  return words
}
