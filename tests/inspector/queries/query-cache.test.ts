import { describe, expect, it } from "vitest"
import { QueryCache } from "#otel/inspector/queries/query-cache.ts"

/** A question that is answered with how often it was asked, and takes as long as told. */
function setUp() {
  let now = 1_000
  let asked = 0
  const queryCache = new QueryCache(() => now)
  const ask = (key: string, costMs = 0) =>
    queryCache.get(key, async () => {
      now += costMs
      return ++asked
    })
  return { queryCache, ask, pass: (milliseconds: number) => (now += milliseconds) }
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
    expect(await ask("a", 500)).toBe(1)
    pass(4_999)
    expect(await ask("a", 500)).toBe(1)
    pass(2)
    expect(await ask("a", 500)).toBe(2)
  })

  it("is never kept longer than the screens wait before they read once more", async () => {
    const { ask, pass } = setUp()
    expect(await ask("a", 5_000)).toBe(1)
    pass(6_001)
    expect(await ask("a", 5_000)).toBe(2)
  })

  it("is asked once by all who want it at the same time", async () => {
    const { ask } = setUp()
    expect(await Promise.all([ask("a"), ask("a"), ask("a")])).toEqual([1, 1, 1])
  })

  it("is asked further while one of those who wait for it stays, and no further when all have left", async () => {
    const { queryCache } = setUp()
    let left: AbortSignal | undefined
    let answer = (_value: number): void => undefined
    const ask = (signal: AbortSignal) => {
      left = signal
      return new Promise<number>((resolve) => (answer = resolve))
    }
    const [first, second] = [new AbortController(), new AbortController()]
    const ofFirst = queryCache.get("a", ask, first.signal)
    const ofSecond = queryCache.get("a", ask, second.signal)
    first.abort()
    await expect(ofFirst).rejects.toMatchObject({ name: "QueryCancelled" })
    expect(left?.aborted).toBe(false)
    answer(7)
    expect(await ofSecond).toBe(7)
    const third = new AbortController()
    const ofThird = queryCache.get("b", ask, third.signal)
    third.abort()
    await expect(ofThird).rejects.toMatchObject({ name: "QueryCancelled" })
    expect(left?.aborted).toBe(true)
    const anew = queryCache.get("b", ask)
    answer(8)
    expect(await anew).toBe(8)
  })

  it("that failed is asked again", async () => {
    const { queryCache, ask } = setUp()
    await expect(queryCache.get("a", () => Promise.reject(new Error("away")))).rejects.toThrow("away")
    expect(await ask("a")).toBe(1)
  })
})
