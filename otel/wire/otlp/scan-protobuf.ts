import { MAX_MESSAGES } from "./scan-limits.ts"
import { MAX_MESSAGE_DEPTH, type OtlpMessage, otlpType } from "./schema.ts"
import { type Undecodable, undecodable } from "./undecodable.ts"

/**
 * One pass over a protobuf request before it is decoded, which makes no object. An empty message takes two bytes on the
 * wire and fifty times as much in memory: 20 MiB of them decoded took 10 s and 1.8 GB. So messages are counted first, and
 * more than `MAX_MESSAGES` are refused.
 *
 * Whatever this pass does not understand it refuses as well: if it read on in another way than the decoder does, messages
 * could hide there.
 */
export function scanProtobuf(bytes: Uint8Array, type: OtlpMessage): Undecodable | undefined {
  const scan = new Scan(bytes)
  const isValid = scan.message(bytes.length, submessagesOf(type), 0)
  if (scan.count > MAX_MESSAGES) return undecodable("too_large", `the request holds more than ${MAX_MESSAGES} messages`)
  return isValid ? undefined : undecodable("malformed", `the request is not a valid protobuf ${type}`)
}

/** By field number, the submessages of a message; the others of its fields hold no messages. */
type Submessages = (Submessages | undefined)[]

const known = new Map<string, Submessages>()

function submessagesOf(type: string): Submessages {
  const found = known.get(type)
  if (found !== undefined) return found
  const submessages: Submessages = []
  // Before its fields are looked at: values hold values.
  known.set(type, submessages)
  for (const field of otlpType(type as OtlpMessage).fieldsArray) {
    const inner = field.resolve().resolvedType
    if (inner !== null) submessages[field.id] = submessagesOf(inner.name)
  }
  return submessages
}

const WIRE = { varint: 0, fixed64: 1, bytes: 2, groupStart: 3, groupEnd: 4, fixed32: 5 } as const
const MAX_VARINT_BYTES = 10

class Scan {
  count = 0
  #at = 0

  constructor(private readonly bytes: Uint8Array) {}

  /** Whether a valid message ends at `end`. Ends early at one message too many. */
  message(end: number, submessages: Submessages, depth: number): boolean {
    this.count += 1
    if (depth > MAX_MESSAGE_DEPTH || this.count > MAX_MESSAGES) return false
    let groups = 0
    while (this.#at < end) {
      const tag = this.#varint()
      const wire = tag & 7
      if (wire === WIRE.bytes) {
        const length = this.#varint()
        const innerEnd = this.#at + length
        if (innerEnd > end) return false
        const inner = groups === 0 ? submessages[tag >>> 3] : undefined
        if (inner === undefined) this.#at = innerEnd
        else if (!this.message(innerEnd, inner, depth + 1)) return false
      } else if (wire === WIRE.varint) this.#varint()
      else if (wire === WIRE.fixed64) this.#at += 8
      else if (wire === WIRE.fixed32) this.#at += 4
      else if (wire === WIRE.groupStart) groups += 1
      else if (wire === WIRE.groupEnd && groups > 0) groups -= 1
      else return false
    }
    return this.#at === end && groups === 0
  }

  /** Its lower 32 bits. One that is too long moves past the end, where nothing is valid. */
  #varint(): number {
    const { bytes } = this
    const first = bytes[this.#at] ?? 0
    this.#at += 1
    if (first < 0x80) return first
    let value = first & 0x7f
    for (let index = 1; index < MAX_VARINT_BYTES; index += 1) {
      const byte = bytes[this.#at] ?? 0
      this.#at += 1
      if (index < 5) value |= (byte & 0x7f) << (7 * index)
      if (byte < 0x80) return value >>> 0
    }
    this.#at = Number.POSITIVE_INFINITY
    return 0
  }
}
