import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { watchRate } from "#otel/protocol/transport/collect-body.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const KIB = 1024
const DEADLINE_MS = 30_000

/** When a body is cut that brings so many KiB at the start and in each 5 s after it; `undefined` if it is not within a minute. */
function cutAfter(first: number, later: number): number | undefined {
  const body = { size: first * KIB }
  const startedAt = performance.now()
  let cutAt: number | undefined
  watchRate(body, DEADLINE_MS, () => (cutAt = performance.now() - startedAt))
  for (let window = 0; window < 12; window += 1) {
    vi.advanceTimersByTime(4_000)
    body.size += later * KIB
    vi.advanceTimersByTime(1_000)
  }
  return cutAt
}

describe("a body that holds more than 64 KiB", () => {
  test.each([
    ["stalls", 65, 0],
    ["brings a little", 100, 15],
  ])("and %s is cut after 10 s", (_what, first, later) => {
    expect(cutAfter(first, later)).toBe(10_000)
  })

  test("and brings 16 KiB in each 5 s has until the deadline", () => {
    expect(cutAfter(100, 16)).toBe(DEADLINE_MS)
  })
})

test("a smaller body may stall until the deadline", () => {
  expect(cutAfter(64, 0)).toBe(DEADLINE_MS)
})

test("a body that has arrived is not cut", () => {
  const cut = vi.fn<() => void>()
  watchRate({ size: 100 * KIB }, DEADLINE_MS, cut)()
  vi.advanceTimersByTime(60_000)
  expect(cut).not.toHaveBeenCalled()
})
