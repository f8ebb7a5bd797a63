import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { expect, test } from "vitest"
import { Ingestor, type QueuedBatch, RecordQueue } from "#otel/inspector/ingest/ingestor.ts"
import { Journal } from "#otel/inspector/ingest/journal/journal.ts"
import { decodeBatch } from "#otel/protocol/codec/encode-batch.ts"
import { recordBatch } from "#otel/protocol/records/batch.ts"
import { itemRecord } from "#tests/inspector/store/items.ts"
import { temporaryDirectory } from "./receiver-under-test.ts"
import { spanRecords } from "./span-records.ts"

const SPANS_IN_MEMORY = 40
const SPANS_PER_BATCH = 20

test("batches that wait on disk take no memory, and batches in memory are encoded bytes only", async () => {
  const { queue, journal, ingestor, encoded } = await openIngestor(SPANS_IN_MEMORY)
  const ingested: WeakRef<object>[] = []
  const ingest = async (number: number) => {
    const spans = spanRecords(SPANS_PER_BATCH, number * SPANS_PER_BATCH)
    ingested.push(new WeakRef(spans))
    await ingestor.ingest(recordBatch({ spans }))
  }
  for (let number = 0; number < 10; number += 1) await ingest(number)
  await collectGarbage()
  expect(inMemory(ingested)).toStrictEqual(Array<boolean>(10).fill(false))
  expect(inMemory(encoded)).toStrictEqual([true, true, ...Array<boolean>(8).fill(false)])
  const loaded = await Promise.all(queue.front(10_000).map(load))
  expect(loaded.flatMap(({ spans }) => spans).map(({ name }) => name)).toStrictEqual(
    spanRecords(10 * SPANS_PER_BATCH).map(({ name }) => name),
  )
  await journal.close()
})

test("large records wait on disk even if they are few, and the store gets a few at a time", async () => {
  const bytes = 3 * 1024 * 1024
  const { queue, journal, ingestor, encoded } = await openIngestor(1_000, 2.5 * bytes)
  for (let number = 0; number < 5; number += 1)
    await ingestor.ingest(recordBatch({ items: [itemRecord({ payload: new Uint8Array(bytes).fill(number) })] }))
  await collectGarbage()
  expect(inMemory(encoded)).toStrictEqual([true, true, false, false, false])
  const front = queue.front(1_000)
  expect(front).toHaveLength(3)
  const loaded = await Promise.all(front.map(load))
  expect(loaded.map(({ items }) => [items[0]!.payload.length, items[0]!.payload[bytes - 1]])).toStrictEqual([
    [bytes, 0],
    [bytes, 1],
    [bytes, 2],
  ])
  queue.remove(front)
  expect(queue.front(1_000)).toHaveLength(2)
  await journal.close()
})

const inMemory = (references: readonly WeakRef<object>[]) => references.map((one) => one.deref() !== undefined)
const load = async (batch: QueuedBatch) => decodeBatch(await batch.load())

async function openIngestor(spansInMemory: number, bytesInMemory = 32 * 1024 * 1024) {
  const queue = new RecordQueue(10_000, spansInMemory, bytesInMemory)
  const journal = new Journal({ directory: await temporaryDirectory(), onReplay: () => undefined })
  const encoded: WeakRef<object>[] = []
  const ingestor = new Ingestor({
    journal: {
      append: async (batch) => {
        const append = await journal.append(batch)
        if (append.ok) encoded.push(new WeakRef(append.encoded))
        return append
      },
      load: (place) => journal.load(place),
    },
    queue,
    spanLimit: 1_000,
    liveFeed: { publish: () => undefined },
    clock: Date.now,
    isStoreDown: () => true,
    onIngested: () => undefined,
  })
  return { queue, journal, ingestor, encoded }
}

/** Collects twice, in different turns of the event loop, since a settled promise holds its value until the next turn. */
async function collectGarbage(): Promise<void> {
  setFlagsFromString("--expose-gc")
  const collect = runInNewContext("gc") as () => void
  for (let round = 0; round < 2; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 10))
    collect()
  }
}
