import type { ErrorEvent } from "#otel/model/error-event.ts"
import type { KeptItem } from "#otel/model/kept-item.ts"
import type { LogRecord } from "#otel/model/log-record.ts"
import type { LossRecord } from "#otel/model/loss.ts"
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
  refuses: ((spans: readonly SpanRecord[]) => boolean) | undefined
  #onChange: (() => void)[] = []

  get spans(): SpanRecord[] {
    return this.batches.flatMap(({ spans }) => spans)
  }

  async insertSpans(spans: readonly SpanRecord[], batchId: string): Promise<void> {
    this.offeredBatchIds.push(batchId)
    this.#changed()
    if (this.isAway) throw new StoreUnavailable("away")
    if (this.refuses?.(spans)) throw new Error("column type mismatch")
    this.batches.push({ batchId, spans })
    this.#changed()
  }

  async insertErrors(errors: readonly ErrorEvent[]): Promise<void> {
    if (this.isAway) throw new StoreUnavailable("away")
    this.errors.push(...errors)
    this.#changed()
  }

  async insertLogs(logs: readonly LogRecord[]): Promise<void> {
    if (this.isAway) throw new StoreUnavailable("away")
    this.logs.push(...logs)
    this.#changed()
  }

  async insertItems(items: readonly KeptItem[]): Promise<void> {
    if (this.isAway) throw new StoreUnavailable("away")
    this.items.push(...items)
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
