import { ByteWriter } from "../../../protocol/codec/byte-writer.ts"
import { type Attributes, attributeText } from "../../../protocol/records/attributes.ts"

/**
 * Columns as ClickHouse's `Native` format holds them, one value after the other. Types that nest give the parts of all
 * their columns: first what each says of itself, then the values.
 *
 * @see https://clickhouse.com/docs/interfaces/formats/Native
 */
export interface Column<Value> {
  /** As a table names it. */
  readonly type: string
  /** About what its values take. */
  readonly size: number
  add(value: Value): void
  /** What goes before the values of the outermost column. */
  writePrefix(to: ByteWriter): void
  writeValues(to: ByteWriter): void
}

/** Values that are written as they come. */
class PlainColumn<Value> implements Column<Value> {
  readonly #values = new ByteWriter()

  constructor(
    readonly type: string,
    private readonly write: (to: ByteWriter, value: Value) => void,
  ) {}

  get size(): number {
    return this.#values.length
  }

  add(value: Value): void {
    this.write(this.#values, value)
  }

  writePrefix(): void {}

  writeValues(to: ByteWriter): void {
    to.bytes(this.#values.written())
  }
}

export const bool = (): Column<boolean> => new PlainColumn("Bool", (to, value) => to.uint8(value ? 1 : 0))
export const uint32 = (): Column<number> => new PlainColumn("UInt32", (to, value) => to.uint32(value))
export const uint64 = (): Column<bigint> => new PlainColumn("UInt64", (to, value) => to.uint64(value))
export const string = (): Column<string> => new PlainColumn("String", (to, value) => to.text(value))
/** Nanoseconds since 1970. */
export const dateTime64 = (): Column<bigint> => new PlainColumn("DateTime64(9)", (to, value) => to.uint64(value))

/** `LowCardinality(String)`: each text once, and the number of its text for each value. */
export class LowCardinalityColumn implements Column<string> {
  readonly type = "LowCardinality(String)"
  readonly #numbers = new Map<string, number>()
  readonly #words = new ByteWriter()
  readonly #values: number[] = []

  get size(): number {
    return this.#words.length + this.#values.length
  }

  get count(): number {
    return this.#values.length
  }

  add(value: string): void {
    let number = this.#numbers.get(value)
    if (number === undefined) {
      number = this.#numbers.size
      this.#numbers.set(value, number)
      this.#words.text(value)
    }
    this.#values.push(number)
  }

  /** Adds once more what was added between two places. */
  again(start: number, end: number): void {
    for (let index = start; index < end; index += 1) this.#values.push(this.#values[index] ?? 0)
  }

  /** The version of this form of the type: each block brings its own words. */
  writePrefix(to: ByteWriter): void {
    to.uint32As64(1)
  }

  writeValues(to: ByteWriter): void {
    if (this.#values.length === 0) return
    const words = this.#numbers.size
    const width = words <= 0x100 ? NUMBER_WIDTHS.uint8 : words <= 0x1_0000 ? NUMBER_WIDTHS.uint16 : NUMBER_WIDTHS.uint32
    to.uint32As64(BLOCK_HAS_WORDS | width)
    to.uint32As64(words)
    to.bytes(this.#words.written())
    to.uint32As64(this.#values.length)
    if (width === NUMBER_WIDTHS.uint8) for (const value of this.#values) to.uint8(value)
    else if (width === NUMBER_WIDTHS.uint16) for (const value of this.#values) to.uint16(value)
    else for (const value of this.#values) to.uint32(value)
  }
}

/** How `LowCardinality` says how wide its numbers are. */
const NUMBER_WIDTHS = { uint8: 0, uint16: 1, uint32: 2 }
/** The words stand in the block, and none are known from an earlier one. */
const BLOCK_HAS_WORDS = (1 << 9) | (1 << 10)

/** Lists one after the other, and where each of them ends. */
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

/** One column of a table and what a row says in it. */
export interface Cell<Row> {
  readonly column: Column<never>
  add(row: Row): void
}

export function cell<Row, Value>(column: Column<Value>, valueOf: (row: Row) => Value): Cell<Row> {
  return { column, add: (row) => column.add(valueOf(row)) }
}

/** Rows of a table as one block of the `Native` format. */
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

  /** About what it takes. */
  get size(): number {
    let size = 0
    for (const { column } of this.#cells) size += column.size
    return size
  }

  add(row: Row): void {
    for (const { add } of this.#cells) add(row)
    this.#rows += 1
  }

  /** The bytes of a block that has rows. */
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
