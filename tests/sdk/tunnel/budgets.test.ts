import { describe, expect, test } from "vitest"
import {
  type Acquired,
  Budgets,
  CLIENT_LIMIT,
  CLIENT_MEMORY_BYTES,
  CLIENT_OPEN_LIMIT,
  CLIENT_RATES,
  TOTAL_OPEN_LIMIT,
  TOTAL_RATES,
  type Lease,
} from "#otel/sdk/tunnel/budgets.ts"

const BURST_SECONDS = 10

/** Budgets whose clocks the test moves. */
function budgets() {
  const clock = { time: 0, cpuTime: 0, now: () => clock.time, cpu: () => clock.cpuTime }
  const all = new Budgets(clock)
  /** Makes a request that takes so much CPU, and ends it. */
  const request = (client: string, { bytes = 0, cpuMs = 0 } = {}): Acquired => {
    const acquired = all.acquire(client)
    if (!acquired.ok) return acquired
    acquired.lease.reserve(bytes)
    acquired.lease.work(() => {
      clock.time += cpuMs
      clock.cpuTime += cpuMs
    })
    acquired.lease.end()
    return acquired
  }
  /** Requests of one client that are accepted in a row. */
  const accepted = (client: string, cost: { bytes?: number; cpuMs?: number } = {}): number => {
    for (let count = 0; count < 100_000; count++) if (!request(client, cost).ok) return count
    return Infinity
  }
  return { all, clock, request, accepted }
}

function opened(all: Budgets, client: string): Lease {
  const acquired = all.acquire(client)
  if (!acquired.ok) throw new Error(acquired.refusal.message)
  return acquired.lease
}

const refusalOf = (acquired: Acquired) => (acquired.ok ? undefined : acquired.refusal)

describe("a client past its budget", () => {
  test.each([
    ["requests", {}, CLIENT_RATES.requests * BURST_SECONDS, "requests of one client"],
    ["bytes", { bytes: 1024 * 1024 }, (CLIENT_RATES.bytes * BURST_SECONDS) / (1024 * 1024), "bytes of one client"],
  ])("of %s is refused with a time, and no other client is", (_, cost, count, what) => {
    const { accepted, request } = budgets()
    expect(accepted("a", cost)).toBe(count)
    expect(refusalOf(request("a", cost))).toMatchObject({ status: 429, reason: "rate_limited", retryAfterSeconds: 1 })
    expect(refusalOf(request("a", cost))?.message).toContain(what)
    expect(accepted("b", cost)).toBe(count)
  })

  test("of CPU is refused until it has recovered, by the work that was done", () => {
    const { accepted, request, clock } = budgets()
    // One request of 3 s, as none may be: it is charged afterwards.
    expect(request("a", { cpuMs: 3_000 }).ok).toBe(true)
    const refusal = refusalOf(request("a"))
    expect(refusal).toMatchObject({ status: 429, reason: "rate_limited" })
    expect(refusal?.message).toContain("CPU time of one client")
    // 1,000 ms of burst, minus 3,000 ms, plus 300 ms that recovered meanwhile: 1,701 ms at 100 ms a second.
    expect(refusal?.retryAfterSeconds).toBe(18)
    expect(request("b").ok).toBe(true)
    clock.time += (refusal?.retryAfterSeconds ?? 0) * 1_000
    expect(request("a").ok).toBe(true)
    // Each costs 100 ms, of which 10 ms recover while it runs: 1,000 ms are used up after the twelfth.
    expect(accepted("c", { cpuMs: 100 })).toBe(12)
  })

  test("has recovered at its rate: ten seconds later it may send as many again, an hour later no more", () => {
    const { accepted, clock } = budgets()
    const burst = accepted("a")
    clock.time += 1_000
    expect(accepted("a")).toBe(CLIENT_RATES.requests)
    clock.time += 3_600_000
    expect(accepted("a")).toBe(burst)
  })

  test("costs nothing: a refused request charges no budget", () => {
    const { accepted, request, clock } = budgets()
    accepted("a")
    for (let count = 0; count < 1_000; count++) request("a")
    clock.time += 1_000
    expect(accepted("a")).toBe(CLIENT_RATES.requests)
  })
})

test("CPU is charged by what the thread can have used: not while it is preempted, nor by other threads", () => {
  const { all, clock, accepted } = budgets()
  const lease = opened(all, "a")
  lease.work(() => void (clock.time += 60_000))
  lease.work(() => void (clock.cpuTime += 60_000))
  lease.end()
  expect(accepted("a")).toBe(CLIENT_RATES.requests * BURST_SECONDS)
})

describe("all clients together", () => {
  test("are refused past the budget of all, none of them past its own", () => {
    const { request } = budgets()
    const limit = TOTAL_RATES.requests * BURST_SECONDS
    let count = 0
    while (request(`client ${count % 1_000}`).ok) count += 1
    expect(count).toBe(limit)
    expect(refusalOf(request("another"))?.message).toContain("requests of all clients")
  })

  test("have what one client cannot use up", () => {
    for (const resource of ["requests", "bytes", "cpuMs"] as const)
      expect(CLIENT_RATES[resource] / TOTAL_RATES[resource]).toBeLessThanOrEqual(1 / 4)
    expect(CLIENT_OPEN_LIMIT / TOTAL_OPEN_LIMIT).toBeLessThanOrEqual(1 / 4)
  })
})

describe("requests that are not finished", () => {
  test("are bounded for one client and for all", () => {
    const { all } = budgets()
    const leases = Array.from({ length: CLIENT_OPEN_LIMIT }, () => opened(all, "a"))
    expect(refusalOf(all.acquire("a"))).toMatchObject({ status: 429, retryAfterSeconds: 1 })
    leases.pop()?.end()
    leases.push(opened(all, "a"))
    for (let client = 1; client < TOTAL_OPEN_LIMIT / CLIENT_OPEN_LIMIT; client++)
      for (let count = 0; count < CLIENT_OPEN_LIMIT; count++) leases.push(opened(all, `client ${client}`))
    expect(leases).toHaveLength(TOTAL_OPEN_LIMIT)
    expect(refusalOf(all.acquire("another"))?.message).toContain("open requests of all clients")
    for (const lease of leases) lease.end()
    expect(all.acquire("another").ok).toBe(true)
  })

  test("hold their memory until their upstream has answered", async () => {
    const { all } = budgets()
    const lease = opened(all, "a")
    expect(lease.reserve(1_000)).toBe(true)
    lease.release()
    let answer: (() => void) | undefined
    lease.holdFor(new Promise<void>((resolve) => (answer = resolve)))
    lease.end()
    expect(all.reserved).toBe(1_000)
    answer?.()
    await new Promise((resolve) => setImmediate(resolve))
    expect(all.reserved).toBe(0)
  })

  test("of one client take a bounded share of the memory", () => {
    const { all } = budgets()
    const [first, second, other] = [opened(all, "a"), opened(all, "a"), opened(all, "b")]
    expect(first.reserve(CLIENT_MEMORY_BYTES - 1)).toBe(true)
    expect(second.reserve(2)).toBe(false)
    expect(second.refusal).toMatchObject({ status: 429, reason: "rate_limited" })
    expect(other.reserve(CLIENT_MEMORY_BYTES)).toBe(true)
    for (const lease of [first, second, other]) lease.end()
    expect(all.reserved).toBe(0)
  })
})

test("a bounded number of clients is remembered: those that came last, and those whose requests are not finished", () => {
  const { all, clock, request } = budgets()
  for (let count = 0; count < CLIENT_OPEN_LIMIT; count++) opened(all, "open")
  for (let client = 0; client < CLIENT_LIMIT + 100; client++) {
    // Enough for the budget of all.
    clock.time += 10
    expect(request(`client ${client}`).ok).toBe(true)
  }
  expect(all.size).toBe(CLIENT_LIMIT)
  expect(refusalOf(all.acquire("open"))?.message).toContain("open requests of one client")
})
