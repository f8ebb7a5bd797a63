/** Longer texts are encoded by Node, whose call costs as much as some sixty characters one by one. */
const SHORT_TEXT = 64
const FIRST_BYTES = 1_024

/** Bytes in a buffer that grows: numbers are little-endian, texts UTF-8 with their length before them. */
export class ByteWriter {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES)
  #view = viewOf(this.#bytes)
  #length = 0

  get length(): number {
    return this.#length
  }

  /** What has been written. It lies in this writer's memory, which the next write changes. */
  written(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  uint8(value: number): void {
    this.#reserve(1)
    this.#bytes[this.#length] = value
    this.#length += 1
  }

  uint16(value: number): void {
    this.#reserve(2)
    this.#view.setUint16(this.#length, value, true)
    this.#length += 2
  }

  uint32(value: number): void {
    this.#reserve(4)
    this.#view.setUint32(this.#length, value, true)
    this.#length += 4
  }

  /** 64 bits of a number that has at most 32. */
  uint32As64(value: number): void {
    this.#reserve(8)
    this.#view.setUint32(this.#length, value, true)
    this.#view.setUint32(this.#length + 4, 0, true)
    this.#length += 8
  }

  uint64(value: bigint): void {
    this.#reserve(8)
    this.#view.setBigUint64(this.#length, value, true)
    this.#length += 8
  }

  /** Seven bits a byte, the lowest first. */
  varint(value: number): void {
    this.#reserve(5)
    let rest = value
    for (; rest > 0x7f; rest >>>= 7) this.#bytes[this.#length++] = (rest & 0x7f) | 0x80
    this.#bytes[this.#length++] = rest
  }

  text(value: string): void {
    if (value.length > SHORT_TEXT || !this.#shortAscii(value)) this.#anyText(value)
  }

  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  /** Writes once more what was written between two places. */
  again(start: number, end: number): void {
    this.#reserve(end - start)
    this.#bytes.copyWithin(this.#length, start, end)
    this.#length += end - start
  }

  #shortAscii(value: string): boolean {
    const { length } = value
    this.#reserve(length + 1)
    const bytes = this.#bytes
    const start = this.#length + 1
    for (let index = 0; index < length; index += 1) {
      const code = value.charCodeAt(index)
      if (code > 0x7f) return false
      bytes[start + index] = code
    }
    bytes[start - 1] = length
    this.#length = start + length
    return true
  }

  /** A half of a surrogate pair without the other becomes U+FFFD. */
  #anyText(value: string): void {
    const size = Buffer.byteLength(value)
    this.varint(size)
    this.#reserve(size)
    this.#length += this.#bytes.write(value, this.#length)
  }

  #reserve(size: number): void {
    const needed = this.#length + size
    if (needed <= this.#bytes.length) return
    const grown = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2))
    grown.set(this.written())
    this.#bytes = grown
    this.#view = viewOf(grown)
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}
