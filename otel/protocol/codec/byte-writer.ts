/** Node encodes longer strings: one call costs as much as about sixty characters one by one. */
const SHORT_TEXT = 64
const FIRST_BYTES = 1_024
/** `clear` releases a larger buffer. */
const KEPT_BYTES = 1024 * 1024

/** Of a length as a varint. */
const MAX_LENGTH_BYTES = 5
const HEX_DIGITS = Buffer.from("0123456789abcdef")

/** A growing buffer. Numbers are little-endian. */
export class ByteWriter {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES)
  #view = viewOf(this.#bytes)
  #length = 0

  get length(): number {
    return this.#length
  }

  /** Resets the writer. */
  clear(): void {
    this.#length = 0
    if (this.#bytes.length > KEPT_BYTES) this.#replace(Buffer.allocUnsafe(FIRST_BYTES))
  }

  /** Resets the writer and keeps its buffer, however large it is. */
  rewind(): void {
    this.#length = 0
  }

  /** The written bytes: a view that the next write changes. */
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

  /** A number of at most 32 bits, as 64 bits. */
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

  int64(value: bigint): void {
    this.#reserve(8)
    this.#view.setBigInt64(this.#length, value, true)
    this.#length += 8
  }

  float64(value: number): void {
    this.#reserve(8)
    this.#view.setFloat64(this.#length, value, true)
    this.#length += 8
  }

  /** LEB128 of up to 32 bits. */
  varint(value: number): void {
    this.#reserve(5)
    let rest = value
    for (; rest > 0x7f; rest >>>= 7) this.#bytes[this.#length++] = (rest & 0x7f) | 0x80
    this.#bytes[this.#length++] = rest
  }

  /** UTF-8 after its length. A lone surrogate becomes U+FFFD. */
  text(value: string): void {
    if (value.length > SHORT_TEXT || !this.#shortAscii(value)) this.#anyText(value)
  }

  /** A range of bytes after its length. */
  range(from: Buffer, start: number, end: number): void {
    const length = end - start
    this.#reserve(length + MAX_LENGTH_BYTES)
    this.varint(length)
    const bytes = this.#bytes
    let to = this.#length
    if (length > SHORT_TEXT) from.copy(bytes, to, start, end)
    else for (let at = start; at < end; at += 1) bytes[to++] = from[at] ?? 0
    this.#length += length
  }

  /** Hexadecimal digits after their number, of a range of bytes. */
  hex(from: Buffer, start: number, end: number): void {
    const length = (end - start) * 2
    this.#reserve(length + MAX_LENGTH_BYTES)
    this.varint(length)
    const bytes = this.#bytes
    let to = this.#length
    for (let at = start; at < end; at += 1) {
      const byte = from[at] ?? 0
      bytes[to] = HEX_DIGITS[byte >>> 4] ?? 0
      bytes[to + 1] = HEX_DIGITS[byte & 15] ?? 0
      to += 2
    }
    this.#length = to
  }

  /** Whether the bytes from `at` on are those of the range. */
  matches(at: number, from: Buffer, start: number, end: number): boolean {
    const bytes = this.#bytes
    for (let index = start; index < end; index += 1) if (bytes[at + index - start] !== from[index]) return false
    return true
  }

  /** UTF-16 code units after their number, one byte each where all are ASCII. Keeps lone surrogates. */
  exactText(value: string): void {
    if (value.length < SHORT_TEXT ? this.#exactAscii(value) : this.#longAscii(value)) return
    this.varint(value.length * 2 + 1)
    this.#reserve(value.length * 2)
    this.#length += this.#bytes.write(value, this.#length, "utf16le")
  }

  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  /** Repeats the bytes between two offsets. */
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

  #exactAscii(value: string): boolean {
    if (!this.#shortAscii(value)) return false
    this.#bytes[this.#length - value.length - 1] = value.length * 2
    return true
  }

  #longAscii(value: string): boolean {
    const { length } = value
    if (Buffer.byteLength(value) !== length) return false
    this.varint(length * 2)
    this.#reserve(length)
    this.#length += this.#bytes.write(value, this.#length, "latin1")
    return true
  }

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
    this.#replace(grown)
  }

  #replace(bytes: Buffer<ArrayBuffer>): void {
    this.#bytes = bytes
    this.#view = viewOf(bytes)
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}
