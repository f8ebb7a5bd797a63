import type { SpanRecord } from "../../../protocol/records/span.ts"
import type { Nanoseconds } from "../../../protocol/records/time.ts"
import type { SpanTarget } from "../rows/request-spans.ts"
import { SpanBlock } from "../rows/span-block.ts"
import { INSERT_BYTES } from "./insert.ts"

export interface Retention {
  /** Records before this would expire at once: they are counted as drops instead. */
  readonly oldest: Nanoseconds
  readonly now: Nanoseconds
}

/** The size of a block is a sum over forty columns, which is not read for each small span. */
const CHECKED_BYTES = 16 * 1024

/**
 * The spans of one order as blocks of columns, so that a span needs no memory once it is added. The blocks depend on the
 * spans only: a repeated order gives the same blocks.
 */
export class SpanBlocks implements SpanTarget {
  readonly blocks: SpanBlock[] = []
  #count = 0
  #expired = 0
  /** Bytes of spans since the size of the last block was read. */
  #unchecked = 0

  constructor(
    private readonly retention: Retention,
    private readonly spare: SpareBlock,
  ) {}

  get count(): number {
    return this.#count
  }

  /** Spans past the retention. They are counted only. */
  get expired(): number {
    return this.#expired
  }

  add(span: SpanRecord): void {
    if (this.accepts(span.startTime)) this.blockFor(CHECKED_BYTES).add(span)
  }

  accepts(startTime: Nanoseconds): boolean {
    this.#count += 1
    if (startTime >= this.retention.oldest) return true
    this.#expired += 1
    return false
  }

  blockFor(bytes: number): SpanBlock {
    const last = this.blocks.at(-1)
    this.#unchecked += bytes
    if (last !== undefined && this.#unchecked < CHECKED_BYTES) return last
    this.#unchecked = 0
    if (last !== undefined && last.size < INSERT_BYTES) return last
    const next = this.spare.take()
    this.blocks.push(next)
    return next
  }

  /** Call when the spans are inserted, and use no block afterwards. */
  release(): void {
    const [first] = this.blocks
    if (first !== undefined) this.spare.keep(first)
  }
}

/** Blocks of fewer spans are not kept: they are cheap to allocate, and the next small batch releases a large block. */
const KEPT_SPANS = 2_000

/**
 * Keeps the block of one batch, whose buffers the next batch reuses. The columns of 20,000 spans take some 20 MB while they
 * grow. Allocating them for each batch makes V8 collect the thread's whole heap three times a batch; see decision 10.
 */
export class SpareBlock {
  #block: SpanBlock | undefined

  take(): SpanBlock {
    const block = this.#block ?? new SpanBlock()
    this.#block = undefined
    return block
  }

  keep(block: SpanBlock): void {
    if (block.spans < KEPT_SPANS) return
    block.clear()
    this.#block = block
  }
}
