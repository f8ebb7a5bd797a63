import { MAX_MESSAGES } from "./scan-limits.ts"
import { type Undecodable, undecodable } from "./undecodable.ts"

/**
 * One pass over JSON bytes before `JSON.parse` sees them. It promises that parsing costs a bounded amount of memory and
 * loses no digit:
 *
 * - nesting past `MAX_DEPTH` and more than `MAX_MESSAGES` objects and arrays are refused (`[[[[…` costs `JSON.parse`
 *   seconds, and `{},{},…` fifty times its size in memory);
 * - integers too long for a double are put in quotes, in which form OTLP/JSON allows them as well. Node 20's
 *   `JSON.parse` would round `1544712660000000123`. A long integer where the schema wants text is therefore read as
 *   that text rather than refused; numbers with a fraction or an exponent are doubles, as JavaScript reads them.
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

/** Whether a double may not hold it. Whatever is no JSON integer value (a fraction, a key, `007`) is left to `JSON.parse`. */
function isLongInteger(bytes: Uint8Array, start: number, end: number): boolean {
  if (isInsideNumber(bytes[start - 1])) return false
  const first = bytes[start] === MINUS ? start + 1 : start
  if (end - first <= EXACT_DIGITS || bytes[first] === ZERO) return false
  let next = end
  while (isWhitespace(bytes[next])) next += 1
  const byte = bytes[next]
  return byte === undefined || byte === 0x2c || byte === 0x7d || byte === 0x5d
}

/** The digits of a fraction or an exponent: `1.6000000005587935` holds no integer. */
function isInsideNumber(before: number | undefined): boolean {
  return before === 0x2e || before === 0x65 || before === 0x45 || before === 0x2b
}

function isWhitespace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

/** The bytes with quotes put in at the offsets, which ascend. */
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
    // The decoder's only failure is the one that is named here.
    return undecodable("malformed", "the request is not valid UTF-8")
  }
}
