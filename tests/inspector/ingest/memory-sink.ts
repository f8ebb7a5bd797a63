import type { RecordSink } from "#otel/inspector/ingest/batcher.ts"
import { RecordsRefused, StoreUnavailable } from "#otel/inspector/store/failure.ts"
import { decodeBatch, type EncodedBatch } from "#otel/protocol/codec/encode-batch.ts"
import type { DropCategory, DropRecord } from "#otel/protocol/records/drop.ts"
import type { ItemRecord } from "#otel/protocol/records/envelope-item.ts"
import type { ErrorEvent } from "#otel/protocol/records/error.ts"
import type { LogRecord } from "#otel/protocol/records/log.ts"
import type { SpanRecord } from "#otel/protocol/records/span.ts"

export interface SinkBatch {
  readonly batchId: string
  readonly spans: readonly SpanRecord[]
}

/** A store in memory that can be down and that can refuse records. */
export class MemorySink implements RecordSink {
  readonly batches: SinkBatch[] = []
  readonly offeredBatchIds: string[] = []
  readonly errors: ErrorEvent[] = []
  readonly logs: LogRecord[] = []
  readonly items: ItemRecord[] = []
  readonly drops: DropRecord[] = []
  isDown = false
  refusesErrors = false
  refuses: ((spans: readonly SpanRecord[]) => boolean) | undefined
  #onChange: (() => void)[] = []

  get spans(): SpanRecord[] {
    return this.batches.flatMap(({ spans }) => spans)
  }

  async insertRecords(
    batches: readonly EncodedBatch[],
    batchId: string,
    without: ReadonlySet<DropCategory> = new Set(),
  ): Promise<void> {
    const decoded = batches.map(decodeBatch)
    this.#insertSpans(
      decoded.flatMap(({ spans }) => spans),
      batchId,
      without,
    )
    if (this.isDown) throw new StoreUnavailable("down")
    const errors = decoded.flatMap((batch) => batch.errors)
    if (this.refusesErrors && errors.length > 0 && !without.has("error"))
      throw new RecordsRefused("error", errors.length)
    if (!without.has("error")) this.errors.push(...errors)
    this.logs.push(...decoded.flatMap(({ logs }) => logs))
    this.items.push(...decoded.flatMap(({ items }) => items))
    this.#changed()
  }

  #insertSpans(spans: readonly SpanRecord[], batchId: string, without: ReadonlySet<DropCategory>): void {
    if (spans.length === 0 || without.has("span")) return
    this.offeredBatchIds.push(batchId)
    this.#changed()
    if (this.isDown) throw new StoreUnavailable("down")
    if (this.refuses?.(spans)) throw new RecordsRefused("span", spans.length)
    // After the store refused another kind of record, the batch is inserted again: its spans are stored once.
    if (this.batches.some((batch) => batch.batchId === batchId)) return
    this.batches.push({ batchId, spans })
    this.#changed()
  }

  async insertDrops(drops: readonly DropRecord[]): Promise<void> {
    if (this.isDown) throw new StoreUnavailable("down")
    this.drops.push(...drops)
    this.#changed()
  }

  /** Forgets what it holds, as a fuzzer that runs for an hour must. */
  clear(): void {
    for (const records of [this.batches, this.offeredBatchIds, this.errors, this.logs, this.items, this.drops])
      records.length = 0
  }

  /** Resolves when the condition holds. It is checked after each call. */
  async until(isReached: (sink: MemorySink) => boolean): Promise<void> {
    while (!isReached(this)) await new Promise<void>((resolve) => this.#onChange.push(resolve))
  }

  #changed(): void {
    const waiting = this.#onChange
    this.#onChange = []
    for (const resolve of waiting) resolve()
  }
}
