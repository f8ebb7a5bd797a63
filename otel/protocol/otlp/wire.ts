/** Protobuf's wire types. Groups are read by no message of the protocol. */
export const WIRE = { varint: 0, fixed64: 1, bytes: 2, groupStart: 3, groupEnd: 4, fixed32: 5 } as const

const MAX_VARINT_BYTES = 10

/** A place in protobuf bytes. Reading past the end gives zeros; the caller compares `at` with the end of its message. */
export class WireReader {
  at = 0
  readonly bytes: Buffer

  constructor({ buffer, byteOffset, byteLength }: Uint8Array) {
    this.bytes = Buffer.from(buffer, byteOffset, byteLength)
  }

  /** The lower 32 bits of a varint. An overlong one moves past the end, where nothing is valid. */
  varint(): number {
    const { bytes } = this
    const first = bytes[this.at] ?? 0
    this.at += 1
    if (first < 0x80) return first
    let value = first & 0x7f
    for (let index = 1; index < MAX_VARINT_BYTES; index += 1) {
      const byte = bytes[this.at] ?? 0
      this.at += 1
      if (index < 5) value |= (byte & 0x7f) << (7 * index)
      if (byte < 0x80) return value >>> 0
    }
    this.at = Number.POSITIVE_INFINITY
    return 0
  }

  /** Moves past a varint. `false` for an overlong one. */
  longVarint(): boolean {
    const { bytes } = this
    for (let index = 0; index < MAX_VARINT_BYTES; index += 1) {
      const byte = bytes[this.at] ?? 0
      this.at += 1
      if (byte < 0x80) return true
    }
    return false
  }

  /** Reads a length, and returns where the field ends; -1 if it does not fit into its message. */
  innerEnd(end: number): number {
    const length = this.varint()
    const inner = this.at + length
    return inner > end ? -1 : inner
  }

  uint32At(at: number): number {
    const { bytes } = this
    return at + 4 > bytes.length ? 0 : bytes.readUInt32LE(at)
  }
}

/** A hash of a range of bytes: FNV-1a, 32 bits. */
export function hashOfBytes(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193)
  return hash >>> 0
}
