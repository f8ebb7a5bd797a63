import { isUtf8 } from "node:buffer"
import { ATTRIBUTE_COUNT_LIMIT, ATTRIBUTE_VALUE_LIMIT_BYTES, NAME_LIMIT_BYTES } from "../limits.ts"
import { hashOfBytes, WIRE, WireReader } from "./wire.ts"

/** A structured value within these is within every limit of a value. */
const STRUCTURE_BYTES = 2_048
const STRUCTURE_DEPTH = 8
/** A call of `isUtf8` costs as much as about so many bytes one by one. */
const SHORT_TEXT = 128

/** The tag of a field, by its number and type. */
export const TAG = {
  varint: (field: number) => (field << 3) | WIRE.varint,
  fixed64: (field: number) => (field << 3) | WIRE.fixed64,
  bytes: (field: number) => (field << 3) | WIRE.bytes,
  fixed32: (field: number) => (field << 3) | WIRE.fixed32,
} as const

/**
 * Passes over attributes and plain fields. Each method moves past what it names and returns `true`, or `false` when the decoder has to
 * read the request.
 */
export class PlainValues extends WireReader {
  /** Hashes of the keys of the bags around the current place. */
  readonly #keys = new Uint32Array(ATTRIBUTE_COUNT_LIMIT + STRUCTURE_BYTES)
  protected keyCount = 0

  /** The hash of the last key. */
  protected get lastKey(): number | undefined {
    return this.#keys[this.keyCount - 1]
  }

  /** @param firstKey the index of the first key of its bag, among the hashes. */
  protected keyValue(end: number, firstKey: number, depth: number): boolean {
    let seen = 0
    // Of an absent key, which is an empty one.
    let hash = hashOfBytes(this.bytes, end, end)
    if (this.keyCount - firstKey >= ATTRIBUTE_COUNT_LIMIT) return false
    while (this.at < end) {
      const tag = this.varint()
      if ((seen & (1 << (tag >>> 3))) !== 0) return false
      seen |= 1 << (tag >>> 3)
      const inner = this.innerEnd(end)
      if (tag === TAG.bytes(1)) {
        if (inner !== -1) hash = hashOfBytes(this.bytes, this.at, inner)
        if (!this.text(inner, NAME_LIMIT_BYTES)) return false
      } else if (tag !== TAG.bytes(2) || inner === -1 || !this.#value(inner, depth)) return false
    }
    return this.at === end && this.#isNewKey(hash, firstKey)
  }

  /** `false` for a key that the bag has already, or one of the same hash. */
  #isNewKey(hash: number, firstKey: number): boolean {
    const keys = this.#keys
    for (let index = firstKey; index < this.keyCount; index += 1) if (keys[index] === hash) return false
    if (this.keyCount === keys.length) return false
    keys[this.keyCount] = hash
    this.keyCount += 1
    return true
  }

  /** An `AnyValue`: at most one field. */
  #value(end: number, depth: number): boolean {
    if (this.at === end) return true
    const tag = this.varint()
    if (tag === TAG.bytes(1)) return this.text(this.innerEnd(end), ATTRIBUTE_VALUE_LIMIT_BYTES) && this.at === end
    if (tag === TAG.bytes(7)) {
      const inner = this.innerEnd(end)
      const isShort = inner - this.at <= ATTRIBUTE_VALUE_LIMIT_BYTES
      this.at = inner
      return isShort && inner === end
    }
    if (tag === TAG.varint(2) || tag === TAG.varint(3)) return this.longVarint() && this.at === end
    if (tag === TAG.fixed64(4)) {
      this.at += 8
      return this.at === end
    }
    if (tag !== TAG.bytes(5) && tag !== TAG.bytes(6)) return false
    const inner = this.innerEnd(end)
    if (inner !== end || inner - this.at > STRUCTURE_BYTES || depth >= STRUCTURE_DEPTH) return false
    const firstKey = this.keyCount
    while (this.at < inner) {
      if (this.varint() !== TAG.bytes(1)) return false
      const element = this.innerEnd(inner)
      if (element === -1) return false
      const isPlain =
        tag === TAG.bytes(5) ? this.#value(element, depth + 1) : this.keyValue(element, firstKey, depth + 1)
      if (!isPlain) return false
    }
    this.keyCount = firstKey
    return this.at === end
  }

  /** Text of at most that many bytes, up to `end`, which is -1 if it does not fit into its message. The decoder refuses what is not UTF-8. */
  protected text(end: number, limit: number): boolean {
    const start = this.at
    if (end - start > limit || end === -1) return false
    this.at = end
    if (end - start > SHORT_TEXT) return isUtf8(this.bytes.subarray(start, end))
    let all = 0
    for (let at = start; at < end; at += 1) all |= this.bytes[at] ?? 0
    return all < 0x80 || isUtf8(this.bytes.subarray(start, end))
  }

  /** An id of that length which is not all zeros. */
  protected id(end: number, length: number): boolean {
    const inner = this.innerEnd(end)
    if (inner - this.at !== length) return false
    let any = 0
    for (; this.at < inner; this.at += 1) any |= this.bytes[this.at] ?? 0
    return any !== 0
  }

  protected below(limit: number): boolean {
    return this.varint() < limit
  }

  /** A 32-bit integer of at most five bytes: the decoder reads longer ones as negative. */
  protected uint32(): boolean {
    const start = this.at
    this.varint()
    return this.at - start <= 5
  }
}
