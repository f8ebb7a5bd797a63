/** Reads what a `ByteWriter` wrote, in the same order. */
export class ByteReader {
  readonly #bytes: Buffer
  readonly #view: DataView
  #at = 0

  constructor({ buffer, byteOffset, byteLength }: Uint8Array) {
    this.#bytes = Buffer.from(buffer, byteOffset, byteLength)
    this.#view = new DataView(buffer, byteOffset, byteLength)
  }

  /** Where the next value begins. */
  get at(): number {
    return this.#at
  }

  set at(place: number) {
    this.#at = place
  }

  uint8(): number {
    const value = this.#view.getUint8(this.#at)
    this.#at += 1
    return value
  }

  uint32(): number {
    const value = this.#view.getUint32(this.#at, true)
    this.#at += 4
    return value
  }

  uint64(): bigint {
    const value = this.#view.getBigUint64(this.#at, true)
    this.#at += 8
    return value
  }

  int64(): bigint {
    const value = this.#view.getBigInt64(this.#at, true)
    this.#at += 8
    return value
  }

  float64(): number {
    const value = this.#view.getFloat64(this.#at, true)
    this.#at += 8
    return value
  }

  varint(): number {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = this.uint8()
      value |= (byte & 0x7f) << shift
      if (byte <= 0x7f) return value >>> 0
    }
  }

  exactText(): string {
    const head = this.varint()
    const isWide = head % 2 === 1
    const length = head >>> 1
    const start = this.#at
    this.#at += isWide ? length * 2 : length
    return this.#bytes.toString(isWide ? "utf16le" : "latin1", start, this.#at)
  }

  /** A view of the memory that is read. */
  bytes(length: number): Uint8Array {
    const { buffer, byteOffset } = this.#bytes
    const start = byteOffset + this.#at
    this.#at += length
    return new Uint8Array(buffer, start, length)
  }
}
