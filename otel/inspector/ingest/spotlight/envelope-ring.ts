import { v7 as newAscendingId } from "uuid"
import { SPOTLIGHT_RING_BYTES } from "../../../protocol/limits.ts"

/** Upper estimate of the memory of an entry, besides its bytes. */
const ENTRY_BYTES = 512

export interface RingEntry {
  /** A UUID of version 7: ids ascend, also when the clock is set back. */
  readonly id: string
  /** The envelope, inflated. */
  readonly bytes: Uint8Array
  readonly userAgent: string
}

/**
 * The newest envelopes, for readers of Spotlight's stream. Limited in bytes: the oldest envelope is evicted first. A
 * reader holds only its position, so a slow reader costs no memory and misses what was evicted.
 */
export class EnvelopeRing {
  #entries: (RingEntry | undefined)[] = []
  /** Index of the oldest entry. Entries before it were evicted. */
  #first = 0
  #bytes = 0
  readonly #readers = new Set<() => void>()

  constructor(private readonly limitBytes: number = SPOTLIGHT_RING_BYTES) {}

  get readerCount(): number {
    return this.#readers.size
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Adds an envelope. One that is larger than the ring is not held. */
  add(bytes: Uint8Array, userAgent: string): void {
    const size = bytes.length + ENTRY_BYTES
    if (size > this.limitBytes) return
    this.#entries.push({ id: newAscendingId(), bytes, userAgent })
    this.#bytes += size
    while (this.#bytes > this.limitBytes) this.#evictOldest()
    for (const wake of this.#readers) wake()
  }

  /** The first entry with a greater id; the oldest one for an empty id. */
  after(id: string): RingEntry | undefined {
    let low = this.#first
    let high = this.#entries.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#entries[middle]?.id ?? "") > id) high = middle
      else low = middle + 1
    }
    return this.#entries[low]
  }

  find(id: string): RingEntry | undefined {
    return this.#entries.find((entry) => entry?.id === id)
  }

  clear(): void {
    this.#entries = []
    this.#first = 0
    this.#bytes = 0
  }

  /** Calls `wake` at each new entry until the returned function is called. */
  watch(wake: () => void): () => void {
    this.#readers.add(wake)
    return () => void this.#readers.delete(wake)
  }

  #evictOldest(): void {
    this.#bytes -= (this.#entries[this.#first]?.bytes.length ?? 0) + ENTRY_BYTES
    this.#entries[this.#first] = undefined
    this.#first += 1
    // Compacts rarely: each time would copy all entries for each new one.
    if (this.#first * 2 < this.#entries.length) return
    this.#entries = this.#entries.slice(this.#first)
    this.#first = 0
  }
}
