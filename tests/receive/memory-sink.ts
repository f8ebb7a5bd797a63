import { decodeBatch, type EncodedBatch } from "#otel/model/encoded-batch/index.ts"
import type { ErrorEvent } from "#otel/model/error-event.ts"
import type { KeptItem } from "#otel/model/kept-item.ts"
import type { LogRecord } from "#otel/model/log-record.ts"
import type { LossCategory, LossRecord } from "#otel/model/loss.ts"
import { RecordsRefused } from "#otel/model/records-refused.ts"
import type { SpanRecord } from "#otel/model/span.ts"
import { StoreUnavailable } from "#otel/model/store-unavailable.ts"
import type { RecordSink } from "#otel/receive/record-sink.ts"

export interface SinkBatch {
  readonly batchId: string
  readonly spans: readonly SpanRecord[]
}

/** A store in memory that can be away, and that can refuse what it is given. */
export class MemorySink implements RecordSink {
  readonly batches: SinkBatch[] = []
  readonly offeredBatchIds: string[] = []
  readonly errors: ErrorEvent[] = []
  readonly logs: LogRecord[] = []
  readonly items: KeptItem[] = []
  readonly losses: LossRecord[] = []
  isAway = false
  refusesErrors = false
  refuses: ((spans: readonly SpanRecord[]) => boolean) | undefined
  #onChange: (() => void)[] = []

  get spans(): SpanRecord[] {
    return this.batches.flatMap(({ spans }) => spans)
  }

  async insertRecords(
    batches: readonly EncodedBatch[],
    batchId: string,
    without: ReadonlySet<LossCategory> = new Set(),
  ): Promise<void> {
    const decoded = batches.map(decodeBatch)
    this.#takeSpans(
      decoded.flatMap(({ spans }) => spans),
      batchId,
      without,
    )
    if (this.isAway) throw new StoreUnavailable("away")
    const errors = decoded.flatMap((batch) => batch.errors)
    if (this.refusesErrors && errors.length > 0 && !without.has("error"))
      throw new RecordsRefused("error", errors.length)
    if (!without.has("error")) this.errors.push(...errors)
    this.logs.push(...decoded.flatMap(({ logs }) => logs))
    this.items.push(...decoded.flatMap(({ items }) => items))
    this.#changed()
  }

  #takeSpans(spans: readonly SpanRecord[], batchId: string, without: ReadonlySet<LossCategory>): void {
    if (spans.length === 0 || without.has("span")) return
    this.offeredBatchIds.push(batchId)
    this.#changed()
    if (this.isAway) throw new StoreUnavailable("away")
    if (this.refuses?.(spans)) throw new RecordsRefused("span", spans.length)
    // What is offered again after another kind was refused is kept once.
    if (this.batches.some((batch) => batch.batchId === batchId)) return
    this.batches.push({ batchId, spans })
    this.#changed()
  }

  async insertLosses(losses: readonly LossRecord[]): Promise<void> {
    if (this.isAway) throw new StoreUnavailable("away")
    this.losses.push(...losses)
    this.#changed()
  }

  /** Resolves when the condition holds, which is looked at after each call. */
  async until(isReached: (sink: MemorySink) => boolean): Promise<void> {
    while (!isReached(this)) await new Promise<void>((resolve) => this.#onChange.push(resolve))
  }

  #changed(): void {
    const waiting = this.#onChange
    this.#onChange = []
    for (const resolve of waiting) resolve()
  }
}
