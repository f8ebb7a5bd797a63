import type { EncodedBatch } from "../../protocol/codec/encode-batch.ts"

/** An ingested batch that is not stored yet. Its records are in memory, or in the journal alone. */
export interface QueuedBatch {
  readonly sequence: number
  readonly recordCount: number
  /** Its size in the journal, and in memory where it is held. */
  readonly bytes: number
  /** Whether its records are in memory. */
  readonly isHeld: boolean
  /** When it was ingested, in milliseconds of the steady clock. */
  readonly since: number
  load(): Promise<EncodedBatch> | EncodedBatch
}

/**
 * Ingested batches that wait for the store, in the order of the journal. The number of records is limited. Only the
 * oldest batches are held in memory, within a limit of records and bytes: the rest of a burst waits on disk.
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

  /** Used share of the limit, from 0 to 1. */
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

  /** Reserves room for records while the journal writes them; `false` when there is none. */
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

  /** The oldest batches, up to this many records or the limit of held bytes. They stay in the queue. */
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

  /** Removes the batches that `front` returned, once they are stored. */
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
