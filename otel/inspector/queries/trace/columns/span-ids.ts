import { copyPairs } from "./typed-arrays.ts"

/** Hexadecimal digits of a span id. */
export const SPAN_ID_LENGTH = 16

const BYTES = 8
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))
/** Nobody can choose span ids that share a place of the hash table. */
const SEED = Math.floor(Math.random() * 2 ** 32)
const NONE = -1

/** A column of span ids: eight bytes for each, where a text takes forty. An id of zeros is none, as that of a root's parent. */
export class SpanIds {
  readonly length: number
  /** Two words for each id, in the byte order of the id. */
  readonly words: Uint32Array
  readonly #bytes: Uint8Array
  #places: Int32Array | undefined
  #areDistinct = true

  constructor(words: Uint32Array) {
    this.words = words
    this.length = words.length / 2
    this.#bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength)
  }

  /** @param ids 16 hexadecimal digits each; anything else is none. */
  static of(ids: readonly string[]): SpanIds {
    const words = new Uint32Array(ids.length * 2)
    const bytes = new Uint8Array(words.buffer)
    ids.forEach((id, index) => writeId(bytes, index, id))
    return new SpanIds(words)
  }

  /** Empty for none. */
  text(index: number): string {
    if (!(index < this.length) || this.isNone(index)) return ""
    let text = ""
    for (let at = index * BYTES; at < (index + 1) * BYTES; at++) text += HEX[this.#bytes[at] ?? 0]
    return text
  }

  isNone(index: number): boolean {
    return this.words[2 * index] === 0 && this.words[2 * index + 1] === 0
  }

  /** The order of two ids as texts. */
  compare(a: number, b: number): number {
    for (let byte = 0; byte < BYTES; byte++) {
      const difference = (this.#bytes[a * BYTES + byte] ?? 0) - (this.#bytes[b * BYTES + byte] ?? 0)
      if (difference !== 0) return difference
    }
    return 0
  }

  /** Whether no id is here twice, and none is missing. */
  get areDistinct(): boolean {
    this.#places ??= this.#hashTable()
    return this.#areDistinct
  }

  /** The ids at some indexes, in the order of these. */
  pick(indexes: Int32Array): SpanIds {
    const words = new Uint32Array(indexes.length * 2)
    copyPairs(this.words, words, indexes)
    return new SpanIds(words)
  }

  /** The first index of an id; -1 for an id that is not here, and for none. */
  indexOf(id: string): number {
    if (id.length !== SPAN_ID_LENGTH) return NONE
    return this.#find(SpanIds.of([id]), 0)
  }

  /** The first index here of each of the other ids, as `indexOf`. */
  indexesOf(others: SpanIds): Int32Array {
    const indexes = new Int32Array(others.length)
    for (let index = 0; index < others.length; index++) indexes[index] = this.#find(others, index)
    return indexes
  }

  #find(others: SpanIds, index: number): number {
    if (others.isNone(index)) return NONE
    const places = (this.#places ??= this.#hashTable())
    return places[this.#placeOf(places, others.words[2 * index] ?? 0, others.words[2 * index + 1] ?? 0)] ?? NONE
  }

  /** Open addressing: the index of each distinct id at its place or after it. */
  #hashTable(): Int32Array {
    const places = new Int32Array(2 ** Math.ceil(Math.log2(this.length * 2 + 2))).fill(NONE)
    for (let index = 0; index < this.length; index++) {
      if (this.isNone(index)) {
        this.#areDistinct = false
        continue
      }
      const place = this.#placeOf(places, this.words[2 * index] ?? 0, this.words[2 * index + 1] ?? 0)
      if (places[place] === NONE) places[place] = index
      else this.#areDistinct = false
    }
    return places
  }

  /** The place that holds an id, or the free one where it belongs. */
  #placeOf(places: Int32Array, low: number, high: number): number {
    const mask = places.length - 1
    let hash = Math.imul(low ^ SEED, 0x85eb_ca6b) ^ Math.imul(high + SEED, 0xc2b2_ae35)
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b_3c6d)
    let place = (hash ^ (hash >>> 13)) & mask
    for (let index = places[place] ?? NONE; index !== NONE; index = places[place] ?? NONE) {
      if (this.words[2 * index] === low && this.words[2 * index + 1] === high) break
      place = (place + 1) & mask
    }
    return place
  }
}

const ID = /^[0-9a-f]{16}$/

function writeId(bytes: Uint8Array, index: number, id: string): void {
  if (!ID.test(id)) return
  for (let byte = 0; byte < BYTES; byte++)
    bytes[index * BYTES + byte] = Number.parseInt(id.slice(2 * byte, 2 * byte + 2), 16)
}
