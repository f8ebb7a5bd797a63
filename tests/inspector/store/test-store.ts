import { openStore, type Store, type StoreLocation, type StoreSettings } from "#otel/inspector/store/store.ts"
import { encodeBatch } from "#otel/protocol/codec/encode-batch.ts"
import { recordBatch, type RecordBatch } from "#otel/protocol/records/batch.ts"
import { PACKAGED_STORE_PROCESS, PACKAGED_STORE_WRITER } from "#tests/support/packaged.ts"

/** A store with an insert for each kind of record. */
export interface TestStore extends Store {
  insertSpans(spans: RecordBatch["spans"], batchId: string): Promise<void>
  insertErrors(errors: RecordBatch["errors"], batchId: string): Promise<void>
  insertLogs(logs: RecordBatch["logs"], batchId: string): Promise<void>
  insertItems(items: RecordBatch["items"], batchId: string): Promise<void>
}

export function openTestStore(location: StoreLocation, settings: StoreSettings): TestStore {
  const process = "url" in location ? location : { processFile: PACKAGED_STORE_PROCESS, ...location }
  const store = openStore(process, { writerFile: PACKAGED_STORE_WRITER, ...settings })
  const insert = (records: Partial<RecordBatch>, batchId: string) =>
    store.insertRecords([encodeBatch(recordBatch(records))], batchId)
  return Object.assign(store, {
    insertSpans: (spans: RecordBatch["spans"], batchId: string) => insert({ spans }, batchId),
    insertErrors: (errors: RecordBatch["errors"], batchId: string) => insert({ errors }, batchId),
    insertLogs: (logs: RecordBatch["logs"], batchId: string) => insert({ logs }, batchId),
    insertItems: (items: RecordBatch["items"], batchId: string) => insert({ items }, batchId),
  })
}
