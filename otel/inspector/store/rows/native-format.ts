import { ByteWriter } from "../../../protocol/codec/byte-writer.ts"
import { type Attributes, attributeText } from "../../../protocol/records/attributes.ts"
import type { Column } from "./column.ts"
import { LowCardinalityColumn } from "./low-cardinality-column.ts"

/** A column whose values are written one by one. */
export class PlainColumn<Value> implements Column<Value> {
  /** For values that are already bytes: one for each row. */
  readonly values = new ByteWriter()

  constructor(
    readonly type: string,
    private readonly write: (to: ByteWriter, value: Value) => void,
  ) {}

  get size(): number {
    return this.values.length
  }

  add(value: Value): void {
    this.write(this.values, value)
  }

  writePrefix(): void {}

  writeValues(to: ByteWriter): void {
    to.bytes(this.values.written())
  }

  clear(): void {
    this.values.rewind()
  }
}

export const bool = (): PlainColumn<boolean> => new PlainColumn("Bool", (to, value) => to.uint8(value ? 1 : 0))
export const uint32 = (): PlainColumn<number> => new PlainColumn("UInt32", (to, value) => to.uint32(value))
export const uint64 = (): PlainColumn<bigint> => new PlainColumn("UInt64", (to, value) => to.uint64(value))
export const string = (): PlainColumn<string> => new PlainColumn("String", (to, value) => to.text(value))
/** Nanoseconds since 1970. */
export const dateTime64 = (): PlainColumn<bigint> => new PlainColumn("DateTime64(9)", (to, value) => to.uint64(value))

/** The end of each array, then the values of all arrays. */
export class ArrayColumn<Value> implements Column<readonly Value[]> {
  readonly type: string
  readonly #ends = new ByteWriter()
  #count = 0

  constructor(private readonly inner: Column<Value>) {
    this.type = `Array(${inner.type})`
  }

  get size(): number {
    return this.#ends.length + this.inner.size
  }

  add(values: readonly Value[]): void {
    for (const value of values) this.inner.add(value)
    this.#count += values.length
    this.#ends.uint32As64(this.#count)
  }

  writePrefix(to: ByteWriter): void {
    this.inner.writePrefix(to)
  }

  writeValues(to: ByteWriter): void {
    to.bytes(this.#ends.written())
    this.inner.writeValues(to)
  }

  clear(): void {
    this.#ends.rewind()
    this.#count = 0
    this.inner.clear()
  }
}

/** The ranges of the keys and values of an attribute bag. */
interface BagRange {
  readonly attributes: Attributes
  readonly keys: readonly [start: number, end: number]
  readonly values: readonly [start: number, end: number]
}

/** `Map(LowCardinality(String), String)`, the collector's type for attributes: the end of each bag, all keys, all values. */
export class AttributeColumn implements Column<Attributes> {
  readonly #ends = new ByteWriter()
  /** For bags that are already bytes: keys and values in turn, then `endBag`. */
  readonly keys = new LowCardinalityColumn()
  readonly values = new ByteWriter()
  #last: BagRange | undefined

  readonly type = `Map(${this.keys.type}, String)`

  get size(): number {
    return this.#ends.length + this.keys.size + this.values.length
  }

  add(attributes: Attributes): void {
    // Spans of one resource follow each other.
    if (this.#last?.attributes === attributes) this.#addAgain(this.#last)
    else this.#addAll(attributes)
    this.#ends.uint32As64(this.keys.count)
  }

  /** Ends the bag of a row whose keys and values were written. */
  endBag(): void {
    this.#last = undefined
    this.#ends.uint32As64(this.keys.count)
  }

  #addAll(attributes: Attributes): void {
    const firstKey = this.keys.count
    const firstValue = this.values.length
    for (const [key, value] of attributes) {
      this.keys.add(key)
      this.values.text(attributeText(value))
    }
    this.#last = { attributes, keys: [firstKey, this.keys.count], values: [firstValue, this.values.length] }
  }

  #addAgain({ keys, values }: BagRange): void {
    this.keys.again(...keys)
    this.values.again(...values)
  }

  writePrefix(to: ByteWriter): void {
    this.keys.writePrefix(to)
  }

  writeValues(to: ByteWriter): void {
    to.bytes(this.#ends.written())
    this.keys.writeValues(to)
    to.bytes(this.values.written())
  }

  clear(): void {
    this.#ends.rewind()
    this.keys.clear()
    this.values.rewind()
    this.#last = undefined
  }
}

/** A column of a table, and the value of a row in it. */
export interface Cell<Row> {
  readonly column: Column<never>
  add(row: Row): void
}

export function cell<Row, Value>(column: Column<Value>, valueOf: (row: Row) => Value): Cell<Row> {
  return { column, add: (row) => column.add(valueOf(row)) }
}

/** Rows of a table as one block. */
export class Block<Row> {
  readonly columns: readonly string[]
  readonly #cells: readonly Cell<Row>[]
  readonly #encoded = new ByteWriter()
  #rows = 0

  constructor(cells: Readonly<Record<string, Cell<Row>>>) {
    this.columns = Object.keys(cells)
    this.#cells = Object.values(cells)
  }

  get rows(): number {
    return this.#rows
  }

  /** Bytes, approximately. */
  get size(): number {
    let size = 0
    for (const { column } of this.#cells) size += column.size
    return size
  }

  add(row: Row): void {
    for (const { add } of this.#cells) add(row)
    this.endRow()
  }

  /** Ends a row whose values were written into the columns. */
  endRow(): void {
    this.#rows += 1
  }

  /** Encodes a block that has rows, into bytes that the next call changes. */
  encode(): Buffer {
    const to = this.#encoded
    to.rewind()
    to.varint(this.#cells.length)
    to.varint(this.#rows)
    for (const [index, { column }] of this.#cells.entries()) {
      to.text(this.columns[index] ?? "")
      to.text(column.type)
      column.writePrefix(to)
      column.writeValues(to)
    }
    return to.written()
  }

  /** Removes the rows and keeps their memory. */
  clear(): void {
    this.#rows = 0
    for (const { column } of this.#cells) column.clear()
  }
}
