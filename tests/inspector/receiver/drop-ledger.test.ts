import { expect, test } from "vitest"
import { DropLedger } from "#otel/inspector/ingest/drop-ledger.ts"
import type { DropRecord } from "#otel/protocol/records/drop.ts"
import { fromMilliseconds } from "#otel/protocol/records/time.ts"

function ledger() {
  const inserted: { drops: readonly DropRecord[]; batchId: string }[] = []
  const store = { isAway: false }
  let batch = 0
  const drops = new DropLedger({
    sink: {
      async insertDrops(drops, batchId) {
        if (store.isAway) throw new Error("away")
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

const SPAN_LOST = { reason: "invalid", category: "span", count: 2, sample: "first" } as const

test("drops are added up by stage, reason and category until they are sent", async () => {
  const { drops, inserted } = ledger()
  drops.record("ingest", SPAN_LOST)
  drops.record("ingest", { ...SPAN_LOST, count: 3, sample: "second" })
  drops.record("store", SPAN_LOST)
  drops.record("ingest", { ...SPAN_LOST, category: "metric" })
  await drops.flush()
  const common = { time: fromMilliseconds(5_000), reason: "invalid", sample: "first" }
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

test("a failure keeps the batch under its id, and is no drop itself", async () => {
  const { drops, inserted, store } = ledger()
  store.isAway = true
  drops.record("ingest", SPAN_LOST)
  await drops.flush()
  drops.record("ingest", SPAN_LOST)
  await drops.flush()
  store.isAway = false
  await drops.flush()
  await drops.flush()
  expect(inserted.map(({ batchId, drops }) => [batchId, drops.map(({ count }) => count)])).toStrictEqual([
    ["batch 1", [2]],
    ["batch 2", [2]],
  ])
  expect(drops.totals()).toStrictEqual({ invalid: 4 })
})

test("a million drops are one row", async () => {
  const { drops, inserted } = ledger()
  for (let index = 0; index < 1_000_000; index += 1) drops.record("ingest", { ...SPAN_LOST, count: 1 })
  await drops.close()
  expect(inserted).toHaveLength(1)
  expect(inserted[0]!.drops).toMatchObject([{ count: 1_000_000 }])
})

test("nothing lost is nothing sent", async () => {
  const { drops, inserted } = ledger()
  drops.record("ingest", { ...SPAN_LOST, count: 0 })
  await drops.close()
  expect(inserted).toStrictEqual([])
  expect(drops.totals()).toStrictEqual({})
})

test("a flush sends what was recorded while another ran", async () => {
  const { drops, inserted } = ledger()
  drops.record("ingest", SPAN_LOST)
  const first = drops.flush()
  drops.record("store", SPAN_LOST)
  await drops.flush()
  await first
  expect(inserted.map(({ drops: sent }) => sent.map(({ stage }) => stage))).toStrictEqual([["ingest"], ["store"]])
})
