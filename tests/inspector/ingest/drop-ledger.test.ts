import { expect, test } from "vitest"
import { DropLedger } from "#otel/inspector/ingest/drop-ledger.ts"
import type { DropRecord } from "#otel/protocol/records/drop.ts"
import { fromMilliseconds } from "#otel/protocol/records/time.ts"

function ledger() {
  const inserted: { drops: readonly DropRecord[]; batchId: string }[] = []
  const store = { isDown: false }
  let batch = 0
  const drops = new DropLedger({
    sink: {
      async insertDrops(drops, batchId) {
        if (store.isDown) throw new Error("away")
        inserted.push({ drops, batchId })
      },
    },
    clock: () => 5_000,
    random: () => 0,
    newBatchId: () => `batch ${(batch += 1)}`,
    flushMs: 60_000,
  })
  return { drops, inserted, store }
}

const INVALID_SPANS = { reason: "invalid", category: "span", count: 2, sample: "first" } as const

test("drops are summed by stage, reason and category until they are sent", async () => {
  const { drops, inserted } = ledger()
  drops.record("ingest", INVALID_SPANS)
  drops.record("ingest", { ...INVALID_SPANS, count: 3, sample: "second" })
  drops.record("store", INVALID_SPANS)
  drops.record("ingest", { ...INVALID_SPANS, category: "metric" })
  await drops.flush()
  const common = { time: fromMilliseconds(5_000), sender: "inspector", reason: "invalid", sample: "first" }
  expect(inserted).toStrictEqual([
    {
      batchId: "batch 1",
      drops: [
        { ...common, stage: "ingest", category: "span", count: 5 },
        { ...common, stage: "store", category: "span", count: 2 },
        { ...common, stage: "ingest", category: "metric", count: 2 },
      ],
    },
  ])
  expect(drops.totals()).toStrictEqual({ invalid: 9 })
})

test("what a client reports is a row of its own, and in no total", async () => {
  const { drops, inserted } = ledger()
  drops.record("tunnel", INVALID_SPANS)
  drops.report("tunnel", { ...INVALID_SPANS, count: 1_000_000_000 })
  await drops.flush()
  expect(inserted[0]!.drops.map(({ stage, sender, count }) => [stage, sender, count])).toStrictEqual([
    ["tunnel", "inspector", 2],
    ["tunnel", "client", 1_000_000_000],
  ])
  expect(drops.totals()).toStrictEqual({ invalid: 2 })
})

test("a failed insert is retried under its batch id, and is no drop itself", async () => {
  const { drops, inserted, store } = ledger()
  store.isDown = true
  drops.record("ingest", INVALID_SPANS)
  await drops.flush()
  drops.record("ingest", INVALID_SPANS)
  await drops.flush()
  store.isDown = false
  await drops.flush()
  await drops.flush()
  expect(inserted.map(({ batchId, drops }) => [batchId, drops.map(({ count }) => count)])).toStrictEqual([
    ["batch 1", [2]],
    ["batch 2", [2]],
  ])
  expect(drops.totals()).toStrictEqual({ invalid: 4 })
})

test("a million equal drops are one row", async () => {
  const { drops, inserted } = ledger()
  for (let index = 0; index < 1_000_000; index += 1) drops.record("ingest", { ...INVALID_SPANS, count: 1 })
  await drops.close()
  expect(inserted).toHaveLength(1)
  expect(inserted[0]!.drops).toMatchObject([{ count: 1_000_000 }])
})

test("no drops are not sent", async () => {
  const { drops, inserted } = ledger()
  drops.record("ingest", { ...INVALID_SPANS, count: 0 })
  await drops.close()
  expect(inserted).toStrictEqual([])
  expect(drops.totals()).toStrictEqual({})
})

test("a flush sends what was recorded during another flush", async () => {
  const { drops, inserted } = ledger()
  drops.record("ingest", INVALID_SPANS)
  const first = drops.flush()
  drops.record("store", INVALID_SPANS)
  await drops.flush()
  await first
  expect(inserted.map(({ drops: sent }) => sent.map(({ stage }) => stage))).toStrictEqual([["ingest"], ["store"]])
})

test("a sample says whose data it was, and no number of invented names makes more than a hundred rows", async () => {
  const { drops, inserted } = ledger()
  drops.record("ingest", INVALID_SPANS, "shop")
  drops.record("ingest", INVALID_SPANS, "cart")
  drops.record("ingest", { ...INVALID_SPANS, sample: "" }, "shop")
  await drops.flush()
  expect(inserted[0]!.drops).toMatchObject([
    { sample: "first · from shop", count: 4 },
    { sample: "first · from cart", count: 2 },
  ])
  for (let number = 0; number < 10_000; number += 1) drops.record("ingest", INVALID_SPANS, `invented ${number}`)
  await drops.close()
  expect(inserted[1]!.drops.length).toBeLessThanOrEqual(101)
  expect(inserted[1]!.drops.reduce((sum, { count }) => sum + count, 0)).toBe(20_000)
})
