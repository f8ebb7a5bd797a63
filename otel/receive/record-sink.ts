import type { EncodedBatch } from "../model/encoded-batch/index.ts"
import type { LossCategory, LossRecord } from "../model/loss.ts"

/**
 * Where admitted records go: the store. Rejects with `StoreUnavailable` when it cannot take them now, and is then asked
 * again with the same batch under the same id; a batch may also come again after a crash, grouped differently, so that
 * spans are kept once by trace and span id, errors, logs and items by their own ids.
 */
export interface RecordSink {
  /**
   * Spans first: an error, log or item that can be found leads to its trace. Rejects with `RecordsRefused` when it does
   * not take those of one category, after which it is asked again, at last `without` that category.
   */
  insertRecords(batches: readonly EncodedBatch[], batchId: string, without?: ReadonlySet<LossCategory>): Promise<void>
  insertLosses(losses: readonly LossRecord[], batchId: string): Promise<void>
}
