import { randomFillSync } from "node:crypto"

const COUNTER_LIMIT = 2 ** 12
const RANDOM_BYTES = 8
/** Asking for chance costs the same for one id as for as many. */
const IDS_AT_ONCE = 128

/**
 * Makes UUIDs of version 7 that ascend: the time, then a counter within its millisecond, then chance. A clock that is set
 * back does not set them back.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9562#name-uuid-version-7
 */
export function ascendingIds(clock: () => number): () => string {
  let last = 0
  let counter = 0
  const random = chance()
  return () => {
    const now = Math.floor(clock())
    counter = now > last ? 0 : counter + 1
    last = Math.max(now, last) + (counter === COUNTER_LIMIT ? 1 : 0)
    counter %= COUNTER_LIMIT
    return format(last, counter, random())
  }
}

/** Bytes that are not given twice. */
function chance(): () => Buffer {
  const pool = Buffer.alloc(RANDOM_BYTES * IDS_AT_ONCE)
  let at = pool.length
  return () => {
    if (at === pool.length) {
      randomFillSync(pool)
      at = 0
    }
    at += RANDOM_BYTES
    return pool.subarray(at - RANDOM_BYTES, at)
  }
}

function format(milliseconds: number, counter: number, random: Buffer): string {
  // The variant's two bits.
  random[0] = ((random[0] ?? 0) & 0x3f) | 0x80
  const time = milliseconds.toString(16).padStart(12, "0")
  const tail = random.toString("hex")
  return [time.slice(0, 8), time.slice(8), `7${hex3(counter)}`, tail.slice(0, 4), tail.slice(4)].join("-")
}

function hex3(number: number): string {
  return number.toString(16).padStart(3, "0")
}
