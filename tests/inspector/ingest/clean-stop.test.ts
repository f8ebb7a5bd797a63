import { setTimeout as delay } from "node:timers/promises"
import { describe, expect, test, vi } from "vitest"
import { Journal } from "#otel/inspector/ingest/journal/journal.ts"
import { post, startReceiver } from "./receiver-under-test.ts"
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

  test("offers to forwarding what the journal still writes, before it closes forwarding", async () => {
    const steps: string[] = []
    const { receiver } = await startReceiver({
      onStored: () => steps.push("offered"),
      onClose: async () => void steps.push("closed"),
    })
    const append = vi.spyOn(Journal.prototype, "append")
    let write = () => {}
    const isWriting = new Promise<void>((resolve) =>
      append.mockImplementationOnce(async function (this: Journal, batch) {
        const result = await this.append(batch)
        resolve()
        await new Promise<void>((written) => (write = written))
        return result
      }),
    )
    const response = receiver.envelope(
      post('{}\n{"type":"event"}\n{"message":"boom"}', { "content-type": "text/plain" }, "/api/1/envelope/"),
    )
    await isWriting
    const closing = receiver.close()
    await delay(20)
    write()
    expect((await response).status).toBe(200)
    await closing
    append.mockRestore()
    expect(steps).toEqual(["offered", "closed"])
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
