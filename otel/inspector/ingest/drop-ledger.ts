import type {
  DropCategory,
  DropCount,
  DropReason,
  DropRecord,
  DropSender,
  DropStage,
} from "../../protocol/records/drop.ts"
import { fromMilliseconds } from "../../protocol/records/time.ts"
import { Backoff, STORE_BACKOFF } from "../../protocol/transport/backoff.ts"
import type { Refusal } from "../../protocol/transport/responses.ts"

/** Drops are added up for this long before they are stored, so that a flood of refusals is a few rows. */
const FLUSH_MS = 1_000

/** What the last flush gets of a stop, even where the records have taken all of its time. */
const LAST_FLUSH_MS = 1_000

/** Rows of one flush past which a drop does not name whose data it was: a client can invent any number of names. */
const NAMED_LIMIT = 100

/** Where drops are stored. */
export interface DropSink {
  /** The sink stores a batch that arrives again under the same id once. */
  insertDrops(drops: readonly DropRecord[], batchId: string): Promise<void>
}

export interface DropLedgerOptions {
  readonly sink: DropSink
  readonly clock: () => number
  readonly random: () => number
  readonly newBatchId: () => string
  /** Default 1 s. */
  readonly flushMs?: number | undefined
  /** Gets the number of dropped records after each successful insert, for the screens that are open. */
  readonly liveFeed?: { dropped(records: number): void } | undefined
}

/**
 * Counts every measured drop by reason since start, and stores drops, reported ones too. Between two flushes it adds up by stage, sender, reason and
 * category, which are closed sets, and by whose data it was, up to a limit, so its memory is bounded. A failed flush is retried and is itself never
 * a drop.
 */
export class DropLedger {
  readonly #totals = new Map<DropReason, number>()
  #pending = new Map<string, DropRecord>()
  readonly #backoff: Backoff
  #timer: NodeJS.Timeout | undefined
  #flushing: Promise<void> | undefined
  #batch: { readonly id: string; readonly drops: readonly DropRecord[] } | undefined
  #isClosed = false

  constructor(private readonly options: DropLedgerOptions) {
    this.#backoff = new Backoff(STORE_BACKOFF, options.random)
  }

  /**
   * Records a drop that this process measured.
   *
   * @param from whose data it was, a service or a program, for the sample. Default: unknown.
   */
  record(stage: DropStage, drop: DropCount, from = ""): void {
    if (drop.count < 1) return
    this.#totals.set(drop.reason, (this.#totals.get(drop.reason) ?? 0) + drop.count)
    this.#add(stage, "inspector", drop, from)
  }

  /** Records a drop that a client reports. Anyone can report any number, so the totals exclude it. */
  report(stage: DropStage, drop: DropCount, from = ""): void {
    if (drop.count >= 1) this.#add(stage, "client", drop, from)
  }

  #add(stage: DropStage, sender: DropSender, drop: DropCount, named: string): void {
    const { reason, category, count } = drop
    const from = this.#pending.size < NAMED_LIMIT ? named : ""
    const sample = [drop.sample, from && `from ${from}`].filter(Boolean).join(" · ")
    const key = `${stage} ${sender} ${reason} ${category} ${from}`
    const known = this.#pending.get(key)
    const time = known?.time ?? fromMilliseconds(this.options.clock())
    const sum = (known?.count ?? 0) + count
    this.#pending.set(key, { time, stage, sender, reason, category, count: sum, sample: known?.sample || sample })
    this.#schedule(this.options.flushMs ?? FLUSH_MS)
  }

  /** Records that this process measured as dropped since its start, by reason. */
  totals(): Partial<Record<DropReason, number>> {
    return Object.fromEntries(this.#totals)
  }

  /** Stores pending drops, after a running flush has ended: that one does not include what was recorded since. */
  async flush(): Promise<void> {
    if (this.#flushing !== undefined) await this.#flushing
    this.#flushing ??= this.#flush().finally(() => {
      this.#flushing = undefined
    })
    return this.#flushing
  }

  /**
   * Flushes once more and stops. Counts that the store does not accept in time then end with the process.
   *
   * @param leftMs milliseconds that are left of a stop. A flush has a second even where none are. Default 0.
   */
  async close(leftMs = 0): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    let timer: NodeJS.Timeout | undefined
    const limit = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, Math.max(LAST_FLUSH_MS, leftMs))
    })
    await Promise.race([this.#flushLast(), limit])
    clearTimeout(timer)
  }

  async #flushLast(): Promise<void> {
    await this.flush()
    // What was recorded meanwhile, unless the store fails.
    if (this.#batch === undefined) await this.flush()
  }

  async #flush(): Promise<void> {
    this.#batch ??= this.#nextBatch()
    if (this.#batch === undefined) return
    try {
      const { drops, id } = this.#batch
      await this.options.sink.insertDrops(drops, id)
      this.#batch = undefined
      this.#backoff.succeeded()
      this.options.liveFeed?.dropped(drops.reduce((sum, { count }) => sum + count, 0))
      if (this.#pending.size > 0) this.#schedule(this.options.flushMs ?? FLUSH_MS)
    } catch {
      // Not a drop of its own: the same batch is retried later.
      this.#schedule(this.#backoff.failed())
    }
  }

  #nextBatch() {
    if (this.#pending.size === 0) return undefined
    const drops = [...this.#pending.values()]
    this.#pending = new Map()
    return { id: this.options.newBatchId(), drops }
  }

  #schedule(delayMs: number): void {
    if (this.#timer !== undefined || this.#isClosed) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      void this.flush()
    }, delayMs)
    this.#timer.unref()
  }
}

/** Records a refusal. A request that is refused before it is decoded counts as one record of its category. */
export function countRefusal(drops: DropLedger, refusal: Refusal, category: DropCategory, count = 1, from = ""): void {
  drops.record("ingest", { reason: refusal.reason, category, count, sample: refusal.sample ?? refusal.message }, from)
}
