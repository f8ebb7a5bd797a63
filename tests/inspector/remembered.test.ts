import { describe, expect, it } from "vitest"
import { Remembered } from "#otel/inspector/remembered.ts"

/** A question that is answered with how often it was asked, and takes as long as told. */
function setUp() {
  let now = 1_000
  let asked = 0
  const remembered = new Remembered(() => now)
  const ask = (key: string, costMs = 0) =>
    remembered.get(key, async () => {
      now += costMs
      return ++asked
    })
  return { remembered, ask, pass: (milliseconds: number) => (now += milliseconds) }
}

describe("an answer about many traces", () => {
  it("is kept for some seconds, by what was asked", async () => {
    const { ask, pass } = setUp()
    expect([await ask("a"), await ask("a"), await ask("b")]).toEqual([1, 1, 2])
    pass(3_001)
    expect(await ask("a")).toBe(3)
  })

  it("is kept for ten times as long as it took, so that asking takes a tenth of the time", async () => {
    const { ask, pass } = setUp()
    expect(await ask("a", 1_000)).toBe(1)
    pass(9_999)
    expect(await ask("a", 1_000)).toBe(1)
    pass(2)
    expect(await ask("a", 1_000)).toBe(2)
  })

  it("is never kept longer than the screens wait before they read once more", async () => {
    const { ask, pass } = setUp()
    expect(await ask("a", 5_000)).toBe(1)
    pass(12_001)
    expect(await ask("a", 5_000)).toBe(2)
  })

  it("is asked once by all who want it at the same time", async () => {
    const { ask } = setUp()
    expect(await Promise.all([ask("a"), ask("a"), ask("a")])).toEqual([1, 1, 1])
  })

  it("that failed is asked again", async () => {
    const { remembered, ask } = setUp()
    await expect(remembered.get("a", () => Promise.reject(new Error("away")))).rejects.toThrow("away")
    expect(await ask("a")).toBe(1)
  })
})
