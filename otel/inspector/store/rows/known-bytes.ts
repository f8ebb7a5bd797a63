import type { ByteWriter } from "../../../protocol/codec/byte-writer.ts"
import { hashOfBytes } from "../../../protocol/otlp/wire.ts"

/** More texts than these are found by their strings. */
const KNOWN_TEXTS = 4_096
/** Slots of a hash table that is at most half full. */
const KNOWN_SLOTS = 2 * KNOWN_TEXTS

/** Finds texts of a dictionary by their bytes, without a string for each value. */
export class KnownBytes {
  #count = 0
  /** In each slot, the place of an entry in `#entries`, plus one. */
  readonly #slots = new Uint16Array(KNOWN_SLOTS)
  readonly #entries: { readonly at: number; readonly length: number; readonly index: number }[] = []

  constructor(private readonly dictionary: ByteWriter) {}

  find(from: Buffer, start: number, end: number): number | undefined {
    const length = end - start
    for (let slot = hashOfBytes(from, start, end); ; slot += 1) {
      const place = this.#slots[slot % KNOWN_SLOTS] ?? 0
      if (place === 0) return undefined
      const entry = this.#entries[place - 1]
      if (entry?.length === length && this.dictionary.matches(entry.at, from, start, end)) return entry.index
    }
  }

  /** Adds the text that was written to the dictionary last. */
  add(from: Buffer, start: number, end: number, index: number): void {
    const length = end - start
    const at = this.dictionary.length - length
    if (this.#count >= KNOWN_TEXTS) return
    let slot = hashOfBytes(from, start, end)
    while (this.#slots[slot % KNOWN_SLOTS] !== 0) slot += 1
    this.#count += 1
    this.#entries.push({ at, length, index })
    this.#slots[slot % KNOWN_SLOTS] = this.#count
  }

  /** Call when the dictionary is cleared. */
  clear(): void {
    this.#count = 0
    this.#entries.length = 0
    this.#slots.fill(0)
  }
}
