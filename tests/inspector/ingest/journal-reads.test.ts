import { expect, test } from "vitest"
import { Batcher } from "#otel/inspector/ingest/batcher.ts"
import { RecordQueue } from "#otel/inspector/ingest/ingestor.ts"
import { encodeBatch } from "#otel/protocol/codec/encode-batch.ts"
import { recordBatch } from "#otel/protocol/records/batch.ts"
import type { DropCount } from "#otel/protocol/records/drop.ts"
import { spanRecords } from "./span-records.ts"

const encoded = encodeBatch(recordBatch({ spans: spanRecords(2) }))

/** A batch of the journal whose first reads fail in these ways. */
function batcherOf(...failures: readonly string[]) {
  const queue = new RecordQueue(100, 0, 1_000)
  const drops: DropCount[] = []
  let [reads, stored] = [0, 0]
  const batcher = new Batcher({
    queue,
    journal: { markStored: async () => {} },
    sink: { insertRecords: async (batches) => void (stored += batches.length) },
    drops: { record: (_stage, drop) => drops.push(drop) },
    isStoreReady: () => true,
    batchSpans: 1,
    batchMs: 0,
    clock: () => 0,
    random: () => 0,
    newBatchId: () => "id",
    onStored: () => {},
  })
  const load = async () => {
    const code = failures[reads++]
    if (code !== undefined) throw Object.assign(new Error(`${code}: open`), { code })
    return encoded
  }
  queue.push({ sequence: 1, recordCount: 2, bytes: 100, isHeld: false, since: 0, load })
  return { batcher, queue, drops, counts: () => ({ reads, stored, waiting: queue.depth }) }
}

test("a batch of the journal that cannot be read for want of files or memory is read again, and stored", async () => {
  const { batcher, drops, counts } = batcherOf("EMFILE", "ENOMEM")
  await batcher.drain(10_000)
  expect(counts()).toEqual({ reads: 3, stored: 1, waiting: 0 })
  expect(drops).toEqual([])
})

test("a stop leaves it in the journal for the next start", async () => {
  const { batcher, drops, counts } = batcherOf("EMFILE", "EMFILE", "EMFILE", "EMFILE")
  await batcher.drain(0)
  expect(counts()).toMatchObject({ stored: 0, waiting: 2 })
  expect(drops).toEqual([])
})

test("a batch whose file is gone is dropped and counted", async () => {
  const { batcher, drops, counts } = batcherOf("ENOENT")
  await batcher.drain(10_000)
  expect(counts()).toEqual({ reads: 1, stored: 0, waiting: 0 })
  expect(drops).toMatchObject([{ reason: "malformed", category: "unknown", count: 2 }])
})
