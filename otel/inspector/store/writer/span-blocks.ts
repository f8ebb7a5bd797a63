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
 * The spans of one order as blocks of columns, so that a span needs no memory once it is added. Take each block when it is
 * full. The blocks depend on the spans only: a repeated order gives the same blocks.
 */
export class SpanBlocks implements SpanTarget {
  #full: SpanBlock | undefined
  #last: SpanBlock | undefined
  #expired = 0
  /** Bytes of spans since the size of the last block was read. */
  #unchecked = 0

  constructor(
    private readonly retention: Retention,
    private readonly spare: SpareBlock,
  ) {}

  /** Spans past the retention. They are counted only. */
  get expired(): number {
    return this.#expired
  }

  add(span: SpanRecord): void {
    if (this.accepts(span.startTime)) this.blockFor(CHECKED_BYTES).add(span)
  }

  accepts(startTime: Nanoseconds): boolean {
    if (startTime >= this.retention.oldest) return true
    this.#expired += 1
    return false
  }

  blockFor(bytes: number): SpanBlock {
    const last = this.#last
    this.#unchecked += bytes
    if (last !== undefined && this.#unchecked < CHECKED_BYTES) return last
    this.#unchecked = 0
    if (last !== undefined && last.size < INSERT_BYTES) return last
    this.#full = last
    this.#last = this.spare.take()
    return this.#last
  }

  takeFull(): SpanBlock | undefined {
    const full = this.#full
    this.#full = undefined
    return full
  }

  /** The block of the last spans, after all were added. */
  takeLast(): SpanBlock | undefined {
    const last = this.#last
    this.#last = undefined
    return last
  }
}

/** Blocks of fewer spans that are not full are not kept: they are cheap to allocate, and would take the place of a large one. */
const KEPT_SPANS = 2_000

/**
 * Keeps a block that is inserted, whose buffers the next one reuses. The columns of 20,000 spans take some 20 MB while they
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
    if (block.spans < KEPT_SPANS && block.size < INSERT_BYTES) return
    block.clear()
    this.#block = block
  }
}
