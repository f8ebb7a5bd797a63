import { setTimeout as delay } from "node:timers/promises"
import { describe, expect, test } from "vitest"
import { startReceiver } from "./receiver-under-test.ts"

describe("a clean stop", () => {
  test("stores the drops that forwarding counts while it closes", async () => {
    const { receiver, sink } = await startReceiver({
      async onClose() {
        await delay(20)
        const drop = { reason: "store_unavailable", category: "span", count: 3, sample: "" } as const
        receiver.drops.record("forward", drop)
      },
    })
    await receiver.close()
    expect(sink.drops).toMatchObject([{ stage: "forward", reason: "store_unavailable", count: 3 }])
  })
})
