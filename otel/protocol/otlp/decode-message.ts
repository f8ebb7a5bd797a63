import {
  MAX_MESSAGE_DEPTH,
  type OtlpEncoding,
  type OtlpMessage,
  otlpType,
  undecodable,
  type Undecodable,
} from "./message.ts"
import type { RawMessage } from "./record-reader.ts"
import { WIRE, WireReader } from "./wire.ts"

export type DecodedMessage = { readonly ok: true; readonly message: RawMessage } | Undecodable

/** Decodes a request. Both encodings give OTLP/JSON's field names. */
export function decodeMessage(body: Uint8Array, encoding: OtlpEncoding, type: OtlpMessage): DecodedMessage {
  return encoding === "json" ? parseJson(body) : decodeProtobuf(body, type)
}

function parseJson(body: Uint8Array): DecodedMessage {
  const scan = scanJson(body)
  if (!scan.ok) return scan
  try {
    const message: unknown = JSON.parse(scan.text)
    if (typeof message === "object" && message !== null && !Array.isArray(message))
      return { ok: true, message: message as RawMessage }
    return undecodable("malformed", "the request is not a JSON object")
  } catch {
    // The parser's message quotes the body, which responses and logs must not contain.
    return undecodable("malformed", "the request is not valid JSON")
  }
}

function decodeProtobuf(body: Uint8Array, type: OtlpMessage): DecodedMessage {
  const problem = scanProtobuf(body, type)
  if (problem !== undefined) return problem
  try {
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
    return { ok: true, message: otlpType(type).decode(bytes) as unknown as RawMessage }
  } catch {
    // The decoder throws on invalid input only.
    return undecodable("malformed", `the request is not a valid protobuf ${type}`)
  }
}

/**
 * The maximum number of messages, or JSON objects and arrays, in a request: one for each ten bytes of the largest body. Real
 * requests have far fewer. Two million take about 150 MB while they are read.
 */
export const MAX_MESSAGES = 2_000_000

/**
 * One pass over JSON bytes before `JSON.parse`. It bounds the memory of parsing and keeps all digits:
 *
 * - nesting past `MAX_DEPTH` and more than `MAX_MESSAGES` objects and arrays are refused (`[[[[…` costs `JSON.parse`
 *   seconds, and `{},{},…` fifty times its size in memory);
 * - integers too long for a double are quoted, which OTLP/JSON allows. Node 20's
 *   `JSON.parse` would round `1544712660000000123`. A long integer in place of text is therefore read as
 *   text and not refused. Numbers with a fraction or an exponent are doubles, as in JavaScript.
 */

/** Objects and arrays around the outermost attribute value of a span event, and those that a level of nesting takes. */
const MAX_DEPTH = 12 + 4 * 66
/** Up to 15 digits are always exact in a double. */
const EXACT_DIGITS = 15

const QUOTE = 0x22
const BACKSLASH = 0x5c
const MINUS = 0x2d
const ZERO = 0x30
const NINE = 0x39

export type JsonScan = { readonly ok: true; readonly text: string } | Undecodable

export function scanJson(bytes: Uint8Array): JsonScan {
  const longIntegers: number[] = []
  let depth = 0
  let containers = 0
  let at = 0
  while (at < bytes.length) {
    const byte = bytes[at] ?? 0
    if (byte === QUOTE) at = endOfString(bytes, at + 1)
    else if (byte === MINUS || (byte >= ZERO && byte <= NINE)) {
      const end = endOfDigits(bytes, at + 1)
      if (isLongInteger(bytes, at, end)) longIntegers.push(at, end)
      at = end
    } else {
      // Braces and brackets differ by one bit: { 7b [ 5b, } 7d ] 5d.
      const bracket = byte | 0x20
      if (bracket === 0x7b) {
        depth += 1
        containers += 1
        if (depth > MAX_DEPTH) return undecodable("malformed", `the request is nested deeper than ${MAX_DEPTH} levels`)
        if (containers > MAX_MESSAGES)
          return undecodable("too_large", `the request holds more than ${MAX_MESSAGES} objects and arrays`)
      } else if (bracket === 0x7d) depth -= 1
      at += 1
    }
  }
  return decodeUtf8(longIntegers.length === 0 ? bytes : quoted(bytes, longIntegers))
}

function endOfString(bytes: Uint8Array, from: number): number {
  let at = from
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1
  return at + 1
}

function endOfDigits(bytes: Uint8Array, from: number): number {
  let at = from
  while (at < bytes.length) {
    const byte = bytes[at] ?? 0
    if (byte < ZERO || byte > NINE) break
    at += 1
  }
  return at
}

/** Whether it is an integer that a double may not represent. Anything else (a fraction, a key, `007`) is left to `JSON.parse`. */
function isLongInteger(bytes: Uint8Array, start: number, end: number): boolean {
  if (isInsideNumber(bytes[start - 1])) return false
  const first = bytes[start] === MINUS ? start + 1 : start
  if (end - first <= EXACT_DIGITS || bytes[first] === ZERO) return false
  let next = end
  while (isWhitespace(bytes[next])) next += 1
  const byte = bytes[next]
  return byte === undefined || byte === 0x2c || byte === 0x7d || byte === 0x5d
}

/** Whether the digits belong to a fraction or an exponent, as in `1.6000000005587935`. */
function isInsideNumber(before: number | undefined): boolean {
  return before === 0x2e || before === 0x65 || before === 0x45 || before === 0x2b
}

function isWhitespace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

/** The bytes with quotes inserted at the ascending offsets. */
function quoted(bytes: Uint8Array, offsets: readonly number[]): Uint8Array {
  const result = new Uint8Array(bytes.length + offsets.length)
  let from = 0
  let to = 0
  for (const offset of offsets) {
    result.set(bytes.subarray(from, offset), to)
    to += offset - from
    result[to] = QUOTE
    to += 1
    from = offset
  }
  result.set(bytes.subarray(from), to)
  return result
}

const strictUtf8 = new TextDecoder("utf-8", { fatal: true })

function decodeUtf8(bytes: Uint8Array): JsonScan {
  try {
    return { ok: true, text: strictUtf8.decode(bytes) }
  } catch {
    // The decoder fails only for this reason.
    return undecodable("malformed", "the request is not valid UTF-8")
  }
}

/**
 * One pass over a protobuf request before it is decoded, without creating objects. An empty message takes two bytes on the wire
 * and fifty times as much in memory: decoding 20 MiB of them took 10 s and 1.8 GB. So messages are counted first, and more than
 * `MAX_MESSAGES` are refused.
 *
 * It also refuses what it does not understand. If it continued in another way than the decoder, messages could hide there.
 */
export function scanProtobuf(bytes: Uint8Array, type: OtlpMessage): Undecodable | undefined {
  const scan = new Scan(bytes)
  const isValid = scan.message(bytes.length, submessagesOf(type), 0)
  if (scan.count > MAX_MESSAGES) return undecodable("too_large", `the request holds more than ${MAX_MESSAGES} messages`)
  return isValid ? undefined : undecodable("malformed", `the request is not a valid protobuf ${type}`)
}

/** The message types of a message's fields, by field number. Other fields contain no messages. */
type Submessages = (Submessages | undefined)[]

const known = new Map<string, Submessages>()

function submessagesOf(type: string): Submessages {
  const found = known.get(type)
  if (found !== undefined) return found
  const submessages: Submessages = []
  // Set before its fields are read, since values may contain values.
  known.set(type, submessages)
  for (const field of otlpType(type as OtlpMessage).fieldsArray) {
    const inner = field.resolve().resolvedType
    if (inner !== null) submessages[field.id] = submessagesOf(inner.name)
  }
  return submessages
}

class Scan extends WireReader {
  count = 0

  /** Whether a valid message ends at `end`. Returns early after too many messages. */
  message(end: number, submessages: Submessages, depth: number): boolean {
    this.count += 1
    if (depth > MAX_MESSAGE_DEPTH || this.count > MAX_MESSAGES) return false
    let groups = 0
    while (this.at < end) {
      const tag = this.varint()
      const wire = tag & 7
      if (wire === WIRE.bytes) {
        const length = this.varint()
        const innerEnd = this.at + length
        if (innerEnd > end) return false
        const inner = groups === 0 ? submessages[tag >>> 3] : undefined
        if (inner === undefined) this.at = innerEnd
        else if (!this.message(innerEnd, inner, depth + 1)) return false
      } else if (wire === WIRE.varint) this.varint()
      else if (wire === WIRE.fixed64) this.at += 8
      else if (wire === WIRE.fixed32) this.at += 4
      else if (wire === WIRE.groupStart) groups += 1
      else if (wire === WIRE.groupEnd && groups > 0) groups -= 1
      else return false
    }
    return this.at === end && groups === 0
  }
}
