import type { WaterfallColumns } from "../waterfall-columns.ts"

/**
 * A waterfall as bytes: the length of its head (four bytes, little-endian), the head, which is everything but the columns as
 * JSON, and the columns as they are in memory. Each column begins at a multiple of eight bytes, so that the page uses them in
 * place, without a parser.
 */

type ColumnName = {
  [Name in keyof WaterfallColumns]: WaterfallColumns[Name] extends ArrayBufferView ? Name : never
}[keyof WaterfallColumns]

const COLUMNS: {
  readonly [Name in ColumnName]: new (bytes: ArrayBuffer, at: number, length: number) => WaterfallColumns[Name]
} = {
  ids: Uint32Array,
  depths: Int32Array,
  serviceIndexes: Uint32Array,
  nameIndexes: Uint32Array,
  offsets: Float64Array,
  durations: Float64Array,
  kinds: Uint8Array,
  marks: Uint8Array,
  eventRows: Int32Array,
  eventOffsets: Float64Array,
  eventKinds: Uint8Array,
}
const NAMES = Object.keys(COLUMNS) as ColumnName[]

type Head = Omit<WaterfallColumns, ColumnName> & { readonly lengths: Readonly<Record<ColumnName, number>> }

const HEAD_LENGTH_BYTES = 4
const ALIGNMENT = 8

export function encodeWaterfall(waterfall: WaterfallColumns): Uint8Array<ArrayBuffer> {
  const isColumn = new Set<string>(NAMES)
  const head = {
    ...Object.fromEntries(Object.entries(waterfall).filter(([name]) => !isColumn.has(name))),
    lengths: Object.fromEntries(NAMES.map((name) => [name, waterfall[name].length])),
  }
  const text = new TextEncoder().encode(JSON.stringify(head))
  let size = aligned(HEAD_LENGTH_BYTES + text.length)
  const starts = NAMES.map((name) => {
    const start = size
    size = aligned(start + waterfall[name].byteLength)
    return start
  })
  const bytes = new Uint8Array(size)
  new DataView(bytes.buffer).setUint32(0, text.length, true)
  bytes.set(text, HEAD_LENGTH_BYTES)
  NAMES.forEach((name, place) => {
    const { buffer, byteOffset, byteLength } = waterfall[name]
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), starts[place])
  })
  return bytes
}

export function decodeWaterfall(bytes: ArrayBuffer): WaterfallColumns {
  const length = new DataView(bytes).getUint32(0, true)
  const text = new TextDecoder().decode(new Uint8Array(bytes, HEAD_LENGTH_BYTES, length))
  const { lengths, ...rest } = JSON.parse(text) as Head
  let at = aligned(HEAD_LENGTH_BYTES + length)
  const columns = NAMES.map((name) => {
    const column = new COLUMNS[name](bytes, at, lengths[name])
    at = aligned(at + column.byteLength)
    return [name, column]
  })
  return { ...rest, ...(Object.fromEntries(columns) as Pick<WaterfallColumns, ColumnName>) }
}

function aligned(at: number): number {
  return Math.ceil(at / ALIGNMENT) * ALIGNMENT
}
