const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const KEY = Buffer.from('"spans"')

/**
 * A transaction's JSON with its number of spans in place of the `spans`, every other byte as it came. One pass over the
 * bytes takes half the time that writing the rest anew from its objects would.
 *
 * @param json a JSON object that has been parsed: it is known to be well-formed.
 */
export function withoutSpans(json: Uint8Array, count: number): Uint8Array {
  const pieces: Uint8Array[] = []
  let depth = 0
  let keptTo = 0
  let at = 0
  while (at < json.length) {
    const byte = json[at] ?? 0
    if (byte === QUOTE) {
      const end = endOfString(json, at + 1)
      const value = depth === 1 && isKey(json, at, end) ? startOfValue(json, end) : -1
      at = end
      if (value === -1 || json[value] !== 0x5b) continue
      at = endOfArray(json, value)
      pieces.push(json.subarray(keptTo, value), Buffer.from(String(count)))
      keptTo = at
    } else {
      depth += nesting(byte)
      at += 1
    }
  }
  return pieces.length === 0 ? json : Buffer.concat([...pieces, json.subarray(keptTo)])
}

/** Braces and brackets differ by one bit: { 7b [ 5b, } 7d ] 5d. */
function nesting(byte: number): number {
  const bracket = byte | 0x20
  return bracket === 0x7b ? 1 : bracket === 0x7d ? -1 : 0
}

function isKey(json: Uint8Array, start: number, end: number): boolean {
  return end - start === KEY.length && KEY.every((byte, index) => json[start + index] === byte)
}

/** Of the value that belongs to the key which ends there; -1 where it is no key. */
function startOfValue(json: Uint8Array, from: number): number {
  const colon = skipSpace(json, from)
  return json[colon] === COLON ? skipSpace(json, colon + 1) : -1
}

function skipSpace(json: Uint8Array, from: number): number {
  let at = from
  while ((json[at] ?? 0x21) <= 0x20) at += 1
  return at
}

function endOfArray(json: Uint8Array, from: number): number {
  const { length } = json
  let depth = 0
  for (let at = from; at < length; at += 1) {
    const byte = json[at]
    if (byte === QUOTE) {
      at += 1
      while (at < length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1
    } else if (byte === 0x7b || byte === 0x5b) depth += 1
    else if (byte === 0x7d || byte === 0x5d) {
      depth -= 1
      if (depth === 0) return at + 1
    }
  }
  return length
}

function endOfString(json: Uint8Array, from: number): number {
  let at = from
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1
  return at + 1
}
