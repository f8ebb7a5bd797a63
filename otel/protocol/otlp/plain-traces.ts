import { ATTRIBUTE_COUNT_LIMIT, ATTRIBUTE_VALUE_LIMIT_BYTES, NAME_LIMIT_BYTES } from "../limits.ts"
import { EXCEPTION_ATTRIBUTES } from "../records/exception.ts"
import { SPAN_KINDS, STATUS_CODES } from "../records/span.ts"
import type { Nanoseconds } from "../records/time.ts"
import type { DecodeLimits } from "./decode-traces.ts"
import { PlainValues, TAG } from "./plain-values.ts"
import { hashOfBytes, WIRE } from "./wire.ts"

/**
 * Whether a protobuf request needs no records: one pass over the bytes, which creates no objects. A request is plain if
 * `decodeTraces` would accept every span of it and cut nothing, and if no span has an exception, which becomes an error. Its
 * bytes go to the journal as they came, and the store's writer makes columns of them.
 *
 * The pass is stricter than the decoder, never more lenient: it knows the fields of `descriptor.ts` alone, each at most once.
 * What it does not understand is left to the decoder, which then accepts, cuts or refuses it.
 *
 * @returns the number of spans; `undefined` if the decoder has to read the request.
 */
export function countPlainSpans(body: Uint8Array, { latest, maxSpans }: DecodeLimits): number | undefined {
  const scan = new PlainScan(body, latest, maxSpans)
  return scan.request() ? scan.spans : undefined
}

const EXCEPTION = "exception"
const [TYPE_KEY, MESSAGE_KEY] = EXCEPTION_ATTRIBUTES.map((key) => hashOfBytes(Buffer.from(key), 0, key.length))
/** The last time that the decoder accepts, 2^63 - 1, is below this in its upper half. */
const UPPER_HALF_END = 2 ** 31
/** As `MAX_MESSAGES` of the decoder, of messages that need not contain a span. */
const EMPTY_MESSAGES = 10_000

class PlainScan extends PlainValues {
  spans = 0
  #groups = 0
  /** Offsets of the times of a span; -1 for an absent one. */
  #startAt = -1
  #endAt = -1
  readonly #latestHigh: number
  readonly #latestLow: number

  constructor(
    body: Uint8Array,
    latest: Nanoseconds,
    private readonly maxSpans: number,
  ) {
    super(body)
    this.#latestHigh = Number(BigInt.asUintN(32, latest >> 32n))
    this.#latestLow = Number(BigInt.asUintN(32, latest))
  }

  request(): boolean {
    const end = this.bytes.length
    while (this.at < end) {
      if (this.varint() !== TAG.bytes(1)) return false
      const inner = this.innerEnd(end)
      if (inner === -1 || !this.#resourceSpans(inner)) return false
    }
    return this.at === end
  }

  #resourceSpans(end: number): boolean {
    let seen = 0
    if (++this.#groups > EMPTY_MESSAGES) return false
    while (this.at < end) {
      const tag = this.varint()
      const inner = (tag & 7) === WIRE.bytes ? this.innerEnd(end) : -1
      if (inner === -1) return false
      if (tag === TAG.bytes(2)) {
        if (!this.#scopeSpans(inner)) return false
      } else {
        if ((seen & (1 << (tag >>> 3))) !== 0) return false
        seen |= 1 << (tag >>> 3)
        if (tag === TAG.bytes(1)) {
          if (!this.#bagged(inner, 1, 2, 0)) return false
        } else if (tag !== TAG.bytes(3) || !this.text(inner, NAME_LIMIT_BYTES)) return false
      }
    }
    return this.at === end
  }

  #scopeSpans(end: number): boolean {
    let seen = 0
    if (++this.#groups > EMPTY_MESSAGES) return false
    while (this.at < end) {
      const tag = this.varint()
      const inner = (tag & 7) === WIRE.bytes ? this.innerEnd(end) : -1
      if (inner === -1) return false
      if (tag === TAG.bytes(2)) {
        this.spans += 1
        if (this.spans > this.maxSpans || !this.#span(inner)) return false
      } else {
        if ((seen & (1 << (tag >>> 3))) !== 0) return false
        seen |= 1 << (tag >>> 3)
        if (tag === TAG.bytes(1)) {
          if (!this.#bagged(inner, 3, 4, 2)) return false
        } else if (tag !== TAG.bytes(3) || !this.text(inner, NAME_LIMIT_BYTES)) return false
      }
    }
    return this.at === end
  }

  /**
   * A resource or scope: attributes in one field, a count in another, and short texts in the first ones.
   *
   * @param texts fields up to this one are texts.
   */
  #bagged(end: number, attributes: number, dropped: number, texts: number): boolean {
    let seen = 0
    this.keyCount = 0
    while (this.at < end) {
      const tag = this.varint()
      const field = tag >>> 3
      if (tag === TAG.bytes(attributes)) {
        const inner = this.innerEnd(end)
        if (inner === -1 || !this.keyValue(inner, 0, 0)) return false
        continue
      }
      if ((seen & (1 << field)) !== 0) return false
      seen |= 1 << field
      if (tag === TAG.varint(dropped)) {
        if (!this.uint32()) return false
      } else {
        if (field > texts || (tag & 7) !== WIRE.bytes) return false
        const inner = this.innerEnd(end)
        if (inner === -1 || !this.text(inner, NAME_LIMIT_BYTES)) return false
      }
    }
    return this.at === end
  }

  #span(end: number): boolean {
    let seen = 0
    let events = 0
    let links = 0
    this.#startAt = -1
    this.#endAt = -1
    this.keyCount = 0
    while (this.at < end) {
      const tag = this.varint()
      const field = tag >>> 3
      if (tag === TAG.bytes(9)) {
        const inner = this.innerEnd(end)
        if (inner === -1 || !this.keyValue(inner, 0, 0)) return false
        // The span may have failed: its status comes later.
        if (this.lastKey === TYPE_KEY || this.lastKey === MESSAGE_KEY) return false
        continue
      }
      if (tag === TAG.bytes(11) || tag === TAG.bytes(13)) {
        const inner = this.innerEnd(end)
        // Bags of events and links count their keys beside those of the span, which may come later.
        const before = this.keyCount
        const isPlain = inner !== -1 && (field === 11 ? this.#event(inner) : this.#link(inner))
        if (!isPlain || (field === 11 ? ++events : ++links) > ATTRIBUTE_COUNT_LIMIT) return false
        this.keyCount = before
        continue
      }
      if (field > 16 || (seen & (1 << field)) !== 0) return false
      seen |= 1 << field
      if (!this.#spanField(tag, end)) return false
    }
    const hasIds = (seen & 0b110) === 0b110
    return this.at === end && hasIds && this.#areTimes(this.#startAt, this.#endAt)
  }

  /** A field of a span that occurs once. */
  #spanField(tag: number, end: number): boolean {
    switch (tag) {
      case TAG.bytes(1):
        return this.id(end, 16)
      case TAG.bytes(2):
        return this.id(end, 8)
      case TAG.bytes(3):
        return this.text(this.innerEnd(end), ATTRIBUTE_VALUE_LIMIT_BYTES)
      case TAG.bytes(4): {
        const inner = this.innerEnd(end)
        if (inner - this.at !== 8 && inner !== this.at) return false
        this.at = inner
        return true
      }
      case TAG.bytes(5):
        return this.text(this.innerEnd(end), NAME_LIMIT_BYTES)
      case TAG.varint(6):
        return this.below(SPAN_KINDS.length)
      case TAG.fixed64(7):
        this.#startAt = this.at
        this.at += 8
        return true
      case TAG.fixed64(8):
        this.#endAt = this.at
        this.at += 8
        return true
      case TAG.varint(10):
      case TAG.varint(12):
      case TAG.varint(14):
        return this.uint32()
      case TAG.bytes(15):
        return this.#status(this.innerEnd(end))
      case TAG.fixed32(16):
        this.at += 4
        return true
      default:
        return false
    }
  }

  #areTimes(startAt: number, endAt: number): boolean {
    if (startAt === -1 || endAt === -1) return false
    const startLow = this.uint32At(startAt)
    const startHigh = this.uint32At(startAt + 4)
    const endLow = this.uint32At(endAt)
    const endHigh = this.uint32At(endAt + 4)
    const isSet = startLow !== 0 || startHigh !== 0
    const isOrdered = endHigh > startHigh || (endHigh === startHigh && endLow >= startLow)
    const isPast = startHigh < this.#latestHigh || (startHigh === this.#latestHigh && startLow <= this.#latestLow)
    return isSet && isOrdered && isPast && endHigh < UPPER_HALF_END
  }

  #status(end: number): boolean {
    let seen = 0
    while (this.at < end) {
      const tag = this.varint()
      if ((seen & (1 << (tag >>> 3))) !== 0) return false
      seen |= 1 << (tag >>> 3)
      if (tag === TAG.varint(3)) {
        if (!this.below(STATUS_CODES.length)) return false
      } else if (tag !== TAG.bytes(2) || !this.text(this.innerEnd(end), ATTRIBUTE_VALUE_LIMIT_BYTES)) return false
    }
    return this.at === end
  }

  #event(end: number): boolean {
    let seen = 0
    const firstKey = this.keyCount
    while (this.at < end) {
      const tag = this.varint()
      if (tag === TAG.bytes(3)) {
        const inner = this.innerEnd(end)
        if (inner === -1 || !this.keyValue(inner, firstKey, 0)) return false
        continue
      }
      if ((seen & (1 << (tag >>> 3))) !== 0) return false
      seen |= 1 << (tag >>> 3)
      if (tag === TAG.fixed64(1)) {
        if (this.uint32At(this.at + 4) >= UPPER_HALF_END) return false
        this.at += 8
      } else if (tag === TAG.bytes(2)) {
        const inner = this.innerEnd(end)
        if (this.#isException(inner) || !this.text(inner, NAME_LIMIT_BYTES)) return false
      } else if (tag !== TAG.varint(4) || !this.uint32()) return false
    }
    return this.at === end
  }

  #link(end: number): boolean {
    let seen = 0
    const firstKey = this.keyCount
    while (this.at < end) {
      const tag = this.varint()
      if (tag === TAG.bytes(4)) {
        const inner = this.innerEnd(end)
        if (inner === -1 || !this.keyValue(inner, firstKey, 0)) return false
        continue
      }
      if ((seen & (1 << (tag >>> 3))) !== 0) return false
      seen |= 1 << (tag >>> 3)
      if (tag === TAG.bytes(1)) {
        if (!this.id(end, 16)) return false
      } else if (tag === TAG.bytes(2)) {
        if (!this.id(end, 8)) return false
      } else if (tag === TAG.bytes(3)) {
        if (!this.text(this.innerEnd(end), ATTRIBUTE_VALUE_LIMIT_BYTES)) return false
      } else if (tag === TAG.varint(5)) {
        if (!this.uint32()) return false
      } else if (tag === TAG.fixed32(6)) this.at += 4
      else return false
    }
    return this.at === end && (seen & 0b110) === 0b110
  }

  /** Whether the name of an event, up to `end`, makes it an error as well. */
  #isException(end: number): boolean {
    return end - this.at === EXCEPTION.length && this.bytes.toString("latin1", this.at, end) === EXCEPTION
  }
}
