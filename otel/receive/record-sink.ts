import type { ErrorEvent } from "../model/error-event.ts"
import type { KeptItem } from "../model/kept-item.ts"
import type { LogRecord } from "../model/log-record.ts"
import type { LossRecord } from "../model/loss.ts"
import type { SpanRecord } from "../model/span.ts"

/**
 * Where admitted records go: the store. Rejects with `StoreUnavailable` when it cannot take them now, and is then asked
 * again with the same batch under the same id; a batch may also come again after a crash, grouped differently, so that
 * spans are kept once by trace and span id, errors, logs and items by their own ids.
 */
export interface RecordSink {
  insertSpans(spans: readonly SpanRecord[], batchId: string): Promise<void>
  insertErrors(errors: readonly ErrorEvent[], batchId: string): Promise<void>
  insertLogs(logs: readonly LogRecord[], batchId: string): Promise<void>
  insertItems(items: readonly KeptItem[], batchId: string): Promise<void>
  insertLosses(losses: readonly LossRecord[], batchId: string): Promise<void>
}
