import { ByteWriter } from "../../../protocol/codec/byte-writer.ts"
import { type Attributes, attributeText } from "../../../protocol/records/attributes.ts"
import { KnownBytes } from "./known-bytes.ts"

/**
 * A column in ClickHouse's `Native` format, one value after the other. A nested type first writes the prefixes of all of
 * its columns, then their values.
 *
 * @see https://clickhouse.com/docs/interfaces/formats/Native
 */
export interface Column<Value> {
  /** The type as DDL names it. */
  readonly type: string
  /** Bytes of the values, approximately. */
  readonly size: number
  add(value: Value): void
  /** Writes what precedes the values of the outermost column. */
  writePrefix(to: ByteWriter): void
  writeValues(to: ByteWriter): void
}

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
}

export const bool = (): PlainColumn<boolean> => new PlainColumn("Bool", (to, value) => to.uint8(value ? 1 : 0))
export const uint32 = (): PlainColumn<number> => new PlainColumn("UInt32", (to, value) => to.uint32(value))
export const uint64 = (): PlainColumn<bigint> => new PlainColumn("UInt64", (to, value) => to.uint64(value))
export const string = (): PlainColumn<string> => new PlainColumn("String", (to, value) => to.text(value))
/** Nanoseconds since 1970. */
export const dateTime64 = (): PlainColumn<bigint> => new PlainColumn("DateTime64(9)", (to, value) => to.uint64(value))

/** `LowCardinality(String)`: a dictionary of texts, and an index into it for each value. */
export class LowCardinalityColumn implements Column<string> {
  readonly type = "LowCardinality(String)"
  readonly #indexes = new Map<string, number>()
  /** The same texts as in `#indexes`, by their index. */
  readonly #texts: string[] = []
  readonly #dictionary = new ByteWriter()
  readonly #values: number[] = []
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
    for (let index = start; index < end; index += 1) this.#values.push(this.#values[index] ?? 0)
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
    if (width === INDEX_WIDTHS.uint8) for (const value of this.#values) to.uint8(value)
    else if (width === INDEX_WIDTHS.uint16) for (const value of this.#values) to.uint16(value)
    else for (const value of this.#values) to.uint32(value)
  }
}

/** Codes of the width of an index. */
const INDEX_WIDTHS = { uint8: 0, uint16: 1, uint32: 2 }
/** Flags: the block contains its dictionary, and does not use an earlier one. */
const OWN_DICTIONARY = (1 << 9) | (1 << 10)

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

  /** Encodes a block that has rows. */
  encode(): Buffer {
    const to = new ByteWriter()
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
}
