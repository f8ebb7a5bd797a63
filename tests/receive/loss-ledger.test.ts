import { expect, test } from "vitest"
import type { LossRecord } from "#otel/model/loss.ts"
import { fromMilliseconds } from "#otel/model/time.ts"
import { LossLedger } from "#otel/receive/loss-ledger.ts"

function ledger() {
  const inserted: { losses: readonly LossRecord[]; batchId: string }[] = []
  const store = { isAway: false }
  let batch = 0
  const losses = new LossLedger({
    sink: {
      async insertLosses(losses, batchId) {
        if (store.isAway) throw new Error("away")
        inserted.push({ losses, batchId })
      },
    },
    clock: () => 5_000,
    random: () => 0,
    newBatchId: () => `batch ${(batch += 1)}`,
    flushMs: 60_000,
  })
  return { losses, inserted, store }
}

const SPAN_LOST = { reason: "invalid", category: "span", count: 2, sample: "first" } as const

test("losses are added up by stage, reason and category until they are sent", async () => {
  const { losses, inserted } = ledger()
  losses.record("door", SPAN_LOST)
  losses.record("door", { ...SPAN_LOST, count: 3, sample: "second" })
  losses.record("store", SPAN_LOST)
  losses.record("door", { ...SPAN_LOST, category: "metric" })
  await losses.flush()
  const common = { time: fromMilliseconds(5_000), reason: "invalid", sample: "first" }
  expect(inserted).toStrictEqual([
    {
      batchId: "batch 1",
      losses: [
        { ...common, stage: "door", category: "span", count: 5 },
        { ...common, stage: "store", category: "span", count: 2 },
        { ...common, stage: "door", category: "metric", count: 2 },
      ],
    },
  ])
  expect(losses.totals()).toStrictEqual({ invalid: 9 })
})

test("a failure keeps the batch under its id, and is no loss itself", async () => {
  const { losses, inserted, store } = ledger()
  store.isAway = true
  losses.record("door", SPAN_LOST)
  await losses.flush()
  losses.record("door", SPAN_LOST)
  await losses.flush()
  store.isAway = false
  await losses.flush()
  await losses.flush()
  expect(inserted.map(({ batchId, losses }) => [batchId, losses.map(({ count }) => count)])).toStrictEqual([
    ["batch 1", [2]],
    ["batch 2", [2]],
  ])
  expect(losses.totals()).toStrictEqual({ invalid: 4 })
})

test("a million losses are one row", async () => {
  const { losses, inserted } = ledger()
  for (let index = 0; index < 1_000_000; index += 1) losses.record("door", { ...SPAN_LOST, count: 1 })
  await losses.close()
  expect(inserted).toHaveLength(1)
  expect(inserted[0]!.losses).toMatchObject([{ count: 1_000_000 }])
})

test("nothing lost is nothing sent", async () => {
  const { losses, inserted } = ledger()
  losses.record("door", { ...SPAN_LOST, count: 0 })
  await losses.close()
  expect(inserted).toStrictEqual([])
  expect(losses.totals()).toStrictEqual({})
})

test("a flush sends what was recorded while another ran", async () => {
  const { losses, inserted } = ledger()
  losses.record("door", SPAN_LOST)
  const first = losses.flush()
  losses.record("store", SPAN_LOST)
  await losses.flush()
  await first
  expect(inserted.map(({ losses: sent }) => sent.map(({ stage }) => stage))).toStrictEqual([["door"], ["store"]])
})
