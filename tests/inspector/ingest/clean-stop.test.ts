import { setTimeout as delay } from "node:timers/promises"
import { describe, expect, test } from "vitest"
import { startReceiver } from "./receiver-under-test.ts"
import { spanRecords } from "./span-records.ts"

const DROP = { reason: "invalid", category: "span", count: 3, sample: "" } as const

/** Whether the journal is closed: another receiver can open it. */
async function isClosed(journalDirectory: string): Promise<boolean> {
  const { receiver } = await startReceiver({ journalDirectory })
  await receiver.ingest({ spans: spanRecords(1) })
  return receiver.problem() === undefined
}

describe("a clean stop", () => {
  test("stores the drops that forwarding counts while it closes", async () => {
    const { receiver, sink } = await startReceiver({
      async onClose() {
        await delay(20)
        receiver.drops.record("forward", DROP)
      },
    })
    await receiver.close()
    expect(sink.drops).toMatchObject([{ stage: "forward", count: 3 }])
  })

  test("ends in time while the store hangs, and closes the journal", { timeout: 30_000 }, async () => {
    const { receiver, sink, journalDirectory } = await startReceiver({ drainLimitMs: 100 })
    sink.insertRecords = sink.insertDrops = () => new Promise(() => {})
    await receiver.ingest({ spans: spanRecords(1) })
    receiver.drops.record("ingest", DROP)
    await receiver.close()
    expect(await isClosed(journalDirectory)).toBe(true)
  })

  test("stores drops for a second, even where the records take all of its time", async () => {
    const { receiver, sink } = await startReceiver({ drainLimitMs: 20 })
    const insert = sink.insertDrops.bind(sink)
    sink.insertRecords = () => new Promise(() => {})
    sink.insertDrops = (drops) => delay(200).then(() => insert(drops))
    await receiver.ingest({ spans: spanRecords(1) })
    receiver.drops.record("ingest", DROP)
    await receiver.close()
    expect(sink.drops).toMatchObject([{ count: 3 }])
  })

  test("closes the journal even if forwarding cannot be closed", async () => {
    let isFirst = true
    const { receiver, journalDirectory } = await startReceiver({
      async onClose() {
        if (isFirst) throw new Error("made up")
      },
    })
    await receiver.ingest({ spans: spanRecords(1) })
    await expect(receiver.close()).rejects.toThrow("made up")
    isFirst = false
    expect(await isClosed(journalDirectory)).toBe(true)
  })
})
