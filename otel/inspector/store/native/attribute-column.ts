import { ByteWriter } from "../../../protocol/codec/byte-writer.ts"
import { type Attributes, attributeText } from "../../../protocol/records/attributes.ts"
import { type Column, LowCardinalityColumn } from "./column.ts"

/** Where the keys and the values of an attribute bag stand. */
interface Place {
  readonly attributes: Attributes
  readonly keys: readonly [start: number, end: number]
  readonly values: readonly [start: number, end: number]
}

/** `Map(LowCardinality(String), String)`, the collector's type for attributes: where each bag ends, all keys, all values. */
export class AttributeColumn implements Column<Attributes> {
  readonly #ends = new ByteWriter()
  readonly #keys = new LowCardinalityColumn()
  readonly #values = new ByteWriter()
  #last: Place | undefined

  readonly type = `Map(${this.#keys.type}, String)`

  get size(): number {
    return this.#ends.length + this.#keys.size + this.#values.length
  }

  add(attributes: Attributes): void {
    // Spans of one resource come one after the other.
    if (this.#last?.attributes === attributes) this.#addAgain(this.#last)
    else this.#addAll(attributes)
    this.#ends.uint32As64(this.#keys.count)
  }

  #addAll(attributes: Attributes): void {
    const firstKey = this.#keys.count
    const firstValue = this.#values.length
    for (const [key, value] of attributes) {
      this.#keys.add(key)
      this.#values.text(attributeText(value))
    }
    this.#last = { attributes, keys: [firstKey, this.#keys.count], values: [firstValue, this.#values.length] }
  }

  #addAgain({ keys, values }: Place): void {
    this.#keys.again(...keys)
    this.#values.again(...values)
  }

  writePrefix(to: ByteWriter): void {
    this.#keys.writePrefix(to)
  }

  writeValues(to: ByteWriter): void {
    to.bytes(this.#ends.written())
    this.#keys.writeValues(to)
    to.bytes(this.#values.written())
  }
}
