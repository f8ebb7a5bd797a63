import { describe, expect, it } from "vitest"
import { QueryCache } from "#otel/inspector/queries/query-cache.ts"

/** A query that returns how often it ran, and takes the given time. */
function setUp() {
  let now = 1_000
  let runs = 0
  const cache = new QueryCache(() => now)
  const query = (key: string, durationMs = 0) =>
    cache.get(key, async () => {
      now += durationMs
      return ++runs
    })
  return { cache, query, pass: (milliseconds: number) => (now += milliseconds) }
}

describe("the result of an expensive query", () => {
  it("is reused for some seconds, by key", async () => {
    const { query, pass } = setUp()
    expect([await query("a"), await query("a"), await query("b")]).toEqual([1, 1, 2])
    pass(3_001)
    expect(await query("a")).toBe(3)
  })

  it("is reused for ten times its duration, so that the query runs a tenth of the time", async () => {
    const { query, pass } = setUp()
    expect(await query("a", 500)).toBe(1)
    pass(4_999)
    expect(await query("a", 500)).toBe(1)
    pass(2)
    expect(await query("a", 500)).toBe(2)
  })

  it("is never reused for longer than screens wait before their last refresh", async () => {
    const { query, pass } = setUp()
    expect(await query("a", 5_000)).toBe(1)
    pass(6_001)
    expect(await query("a", 5_000)).toBe(2)
  })

  it("is shared by concurrent callers", async () => {
    const { query } = setUp()
    expect(await Promise.all([query("a"), query("a"), query("a")])).toEqual([1, 1, 1])
  })

  it("is computed while one caller still waits, and cancelled when all have", async () => {
    const { cache } = setUp()
    let signal: AbortSignal | undefined
    let resolveQuery = (_value: number): void => undefined
    const query = (given: AbortSignal) => {
      signal = given
      return new Promise<number>((resolve) => (resolveQuery = resolve))
    }
    const [first, second] = [new AbortController(), new AbortController()]
    const ofFirst = cache.get("a", query, first.signal)
    const ofSecond = cache.get("a", query, second.signal)
    first.abort()
    await expect(ofFirst).rejects.toMatchObject({ name: "QueryCancelled" })
    expect(signal?.aborted).toBe(false)
    resolveQuery(7)
    expect(await ofSecond).toBe(7)
    const third = new AbortController()
    const ofThird = cache.get("b", query, third.signal)
    third.abort()
    await expect(ofThird).rejects.toMatchObject({ name: "QueryCancelled" })
    expect(signal?.aborted).toBe(true)
    const again = cache.get("b", query)
    resolveQuery(8)
    expect(await again).toBe(8)
  })

  it("is computed again after a failure", async () => {
    const { cache, query } = setUp()
    await expect(cache.get("a", () => Promise.reject(new Error("away")))).rejects.toThrow("away")
    expect(await query("a")).toBe(1)
  })
})
