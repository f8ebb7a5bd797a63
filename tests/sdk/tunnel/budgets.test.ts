import { describe, expect, test } from "vitest"
import {
  type Admission,
  Budgets,
  CLIENT_LIMIT,
  CLIENT_MEMORY_BYTES,
  CLIENT_OPEN_LIMIT,
  CLIENT_RATES,
  TOTAL_OPEN_LIMIT,
  TOTAL_RATES,
  type Visit,
} from "#otel/sdk/tunnel/budgets.ts"

const BURST_SECONDS = 10

/** Budgets whose clocks the test moves. */
function budgets() {
  const clock = { time: 0, cpuTime: 0, now: () => clock.time, cpu: () => clock.cpuTime }
  const all = new Budgets(clock)
  /** Makes a request that takes so much CPU, and ends it. */
  const visit = (client: string, { bytes = 0, cpuMs = 0 } = {}): Admission => {
    const admission = all.admit(client)
    if (!admission.ok) return admission
    admission.visit.reserve(bytes)
    admission.visit.work(() => {
      clock.time += cpuMs
      clock.cpuTime += cpuMs
    })
    admission.visit.end()
    return admission
  }
  /** Requests of one client that are admitted in a row. */
  const admitted = (client: string, cost: { bytes?: number; cpuMs?: number } = {}): number => {
    for (let count = 0; count < 100_000; count++) if (!visit(client, cost).ok) return count
    return Infinity
  }
  return { all, clock, visit, admitted }
}

function opened(all: Budgets, client: string): Visit {
  const admission = all.admit(client)
  if (!admission.ok) throw new Error(admission.refusal.message)
  return admission.visit
}

const refusalOf = (admission: Admission) => (admission.ok ? undefined : admission.refusal)

describe("a client past its budget", () => {
  test.each([
    ["requests", {}, CLIENT_RATES.requests * BURST_SECONDS, "requests of one client"],
    ["bytes", { bytes: 1024 * 1024 }, (CLIENT_RATES.bytes * BURST_SECONDS) / (1024 * 1024), "bytes of one client"],
  ])("of %s is refused with a time, and no other client is", (_, cost, count, what) => {
    const { admitted, visit } = budgets()
    expect(admitted("a", cost)).toBe(count)
    expect(refusalOf(visit("a", cost))).toMatchObject({ status: 429, reason: "rate_limited", retryAfterSeconds: 1 })
    expect(refusalOf(visit("a", cost))?.message).toContain(what)
    expect(admitted("b", cost)).toBe(count)
  })

  test("of CPU is refused until it has recovered, by the work that was done", () => {
    const { admitted, visit, clock } = budgets()
    // One request of 3 s, as none may be: it is charged afterwards.
    expect(visit("a", { cpuMs: 3_000 }).ok).toBe(true)
    const refusal = refusalOf(visit("a"))
    expect(refusal).toMatchObject({ status: 429, reason: "rate_limited" })
    expect(refusal?.message).toContain("CPU time of one client")
    // 1,000 ms of burst, minus 3,000 ms, plus 300 ms that recovered meanwhile: 1,701 ms at 100 ms a second.
    expect(refusal?.retryAfterSeconds).toBe(18)
    expect(visit("b").ok).toBe(true)
    clock.time += (refusal?.retryAfterSeconds ?? 0) * 1_000
    expect(visit("a").ok).toBe(true)
    // Each costs 100 ms, of which 10 ms recover while it runs: 1,000 ms are used up after the twelfth.
    expect(admitted("c", { cpuMs: 100 })).toBe(12)
  })

  test("has recovered at its rate: ten seconds later it may send as many again, an hour later no more", () => {
    const { admitted, clock } = budgets()
    const burst = admitted("a")
    clock.time += 1_000
    expect(admitted("a")).toBe(CLIENT_RATES.requests)
    clock.time += 3_600_000
    expect(admitted("a")).toBe(burst)
  })

  test("costs nothing: a refused request charges no budget", () => {
    const { admitted, visit, clock } = budgets()
    admitted("a")
    for (let count = 0; count < 1_000; count++) visit("a")
    clock.time += 1_000
    expect(admitted("a")).toBe(CLIENT_RATES.requests)
  })
})

test("CPU is charged by what the thread can have used: not while it is preempted, nor by other threads", () => {
  const { all, clock, admitted } = budgets()
  const visit = opened(all, "a")
  visit.work(() => void (clock.time += 60_000))
  visit.work(() => void (clock.cpuTime += 60_000))
  visit.end()
  expect(admitted("a")).toBe(CLIENT_RATES.requests * BURST_SECONDS)
})

describe("all clients together", () => {
  test("are refused past the budget of all, none of them past its own", () => {
    const { visit } = budgets()
    const limit = TOTAL_RATES.requests * BURST_SECONDS
    let count = 0
    while (visit(`client ${count % 1_000}`).ok) count += 1
    expect(count).toBe(limit)
    expect(refusalOf(visit("another"))?.message).toContain("requests of all clients")
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
    const visits = Array.from({ length: CLIENT_OPEN_LIMIT }, () => opened(all, "a"))
    expect(refusalOf(all.admit("a"))).toMatchObject({ status: 429, retryAfterSeconds: 1 })
    visits.pop()?.end()
    visits.push(opened(all, "a"))
    for (let client = 1; client < TOTAL_OPEN_LIMIT / CLIENT_OPEN_LIMIT; client++)
      for (let count = 0; count < CLIENT_OPEN_LIMIT; count++) visits.push(opened(all, `client ${client}`))
    expect(visits).toHaveLength(TOTAL_OPEN_LIMIT)
    expect(refusalOf(all.admit("another"))?.message).toContain("open requests of all clients")
    for (const visit of visits) visit.end()
    expect(all.admit("another").ok).toBe(true)
  })

  test("hold their memory until their upstream has answered", async () => {
    const { all } = budgets()
    const visit = opened(all, "a")
    expect(visit.reserve(1_000)).toBe(true)
    visit.release()
    let answer: (() => void) | undefined
    visit.holdFor(new Promise<void>((resolve) => (answer = resolve)))
    visit.end()
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
    for (const visit of [first, second, other]) visit.end()
    expect(all.reserved).toBe(0)
  })
})

test("a bounded number of clients is remembered: those that came last, and those whose requests are not finished", () => {
  const { all, clock, visit } = budgets()
  for (let count = 0; count < CLIENT_OPEN_LIMIT; count++) opened(all, "open")
  for (let client = 0; client < CLIENT_LIMIT + 100; client++) {
    // Enough for the budget of all.
    clock.time += 10
    expect(visit(`client ${client}`).ok).toBe(true)
  }
  expect(all.size).toBe(CLIENT_LIMIT)
  expect(refusalOf(all.admit("open"))?.message).toContain("open requests of one client")
})
