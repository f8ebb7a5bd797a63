import type { ByteWriter } from "../../../protocol/codec/byte-writer.ts"

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
  /** Removes the values and keeps their memory. */
  clear(): void
}
