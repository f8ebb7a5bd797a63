import type { EncodedBatch } from "../../protocol/codec/encode-batch.ts"

/** One admission that is not stored yet. Its records are in memory, or in the journal alone. */
export interface QueuedBatch {
  readonly sequence: number
  readonly recordCount: number
  /** What it takes in the journal, and in memory where it is held. */
  readonly bytes: number
  /** Whether its records are in memory. */
  readonly isHeld: boolean
  /** When it was admitted, in milliseconds. */
  readonly since: number
  load(): Promise<EncodedBatch> | EncodedBatch
}

/**
 * Admissions on their way to the store, in the order of the journal, bounded by the number of their records. Only the first
 * of them, by number and by bytes, are held in memory: a burst that the store cannot follow waits on disk.
 */
export class RecordQueue {
  #batches: QueuedBatch[] = []
  #depth = 0
  #held = 0
  #heldBytes = 0
  #reserved = 0

  constructor(
    private readonly limit: number,
    private readonly heldLimit: number,
    private readonly heldBytesLimit: number,
  ) {}

  /** Records in the queue. */
  get depth(): number {
    return this.#depth
  }

  /** Share of the limit that is taken, from 0 to 1. */
  get fullness(): number {
    return this.#depth / this.limit
  }

  get oldestSince(): number | undefined {
    return this.#batches[0]?.since
  }

  /** Whether this many more records may be held in memory. */
  mayHold({ recordCount, bytes }: Pick<QueuedBatch, "recordCount" | "bytes">): boolean {
    return this.#held + recordCount <= this.heldLimit && this.#heldBytes + bytes <= this.heldBytesLimit
  }

  /** Keeps room for records that are being written to the journal; `false` when there is none. */
  reserve(recordCount: number): boolean {
    if (this.#depth + this.#reserved + recordCount > this.limit) return false
    this.#reserved += recordCount
    return true
  }

  release(recordCount: number): void {
    this.#reserved -= recordCount
  }

  push(batch: QueuedBatch): void {
    this.#batches.push(batch)
    this.#depth += batch.recordCount
    if (batch.isHeld) this.#hold(batch.recordCount, batch.bytes)
  }

  /** The oldest admissions, as many as it takes to have this many records, or as many bytes as may be held; they stay in the queue. */
  front(recordCount: number): readonly QueuedBatch[] {
    let sum = 0
    let bytes = 0
    let count = 0
    while (count < this.#batches.length && sum < recordCount && bytes < this.heldBytesLimit) {
      sum += this.#batches[count]?.recordCount ?? 0
      bytes += this.#batches[count]?.bytes ?? 0
      count += 1
    }
    return this.#batches.slice(0, count)
  }

  /** Removes what `front` gave, once it is stored. */
  remove(batches: readonly QueuedBatch[]): void {
    this.#batches = this.#batches.slice(batches.length)
    for (const { recordCount, bytes, isHeld } of batches) {
      this.#depth -= recordCount
      if (isHeld) this.#hold(-recordCount, -bytes)
    }
  }

  #hold(recordCount: number, bytes: number): void {
    this.#held += recordCount
    this.#heldBytes += bytes
  }
}
