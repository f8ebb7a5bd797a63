import { ByteWriter } from "../../../protocol/codec/byte-writer.ts"
import type { Column } from "./column.ts"

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
