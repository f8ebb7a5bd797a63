import { expect, test } from "vitest"
import type { DropReason } from "#otel/protocol/records/drop.ts"
import { BatchSender } from "#otel/sdk/browser/delivery/batch-sender.ts"
import { budgetedFetch, byteLength, KeepaliveBudget } from "#otel/sdk/browser/delivery/page-fetch.ts"
import { DELIVERY_DEADLINE_MS } from "#otel/sdk/browser/delivery/batch-sender.ts"
import { sleep } from "#tests/support/wait-for.ts"
import { FakeClock } from "../fake-clock.ts"

type Answer = number | "network failure" | { status: number; retryAfter: string }

/** A sender whose requests get these responses in turn, the last one for ever. */
function setUp(answers: readonly Answer[]) {
  const clock = new FakeClock()
  const requests: RequestInit[] = []
  const drops: [DropReason, number][] = []
  const fetch = async (_url: unknown, init?: RequestInit) => {
    requests.push(init ?? {})
    const answer = answers[Math.min(requests.length, answers.length) - 1]!
    if (answer === "network failure") throw new TypeError("Failed to fetch")
    const { status, retryAfter } = typeof answer === "number" ? { status: answer, retryAfter: undefined } : answer
    return new Response(null, { status, headers: retryAfter === undefined ? {} : { "retry-after": retryAfter } })
  }
  const sender = new BatchSender({
    post: fetch,
    clock,
    random: () => 0.5,
    url: () => "/monitoring",
    dropped: (reason, spans) => drops.push([reason, spans]),
  })
  const body = new TextEncoder().encode("{}")
  return { clock, requests, drops, sender, batch: { body, spans: 3 } }
}

async function pass(clock: FakeClock, milliseconds: number): Promise<void> {
  for (let passed = 0; passed < milliseconds; passed += 250) {
    clock.advance(250)
    await sleep(0)
  }
}

test.each([429, 502, 503, 504, "network failure"] as const)(
  "a batch is retried after %s until it arrives",
  async (answer) => {
    const { sender, batch, clock, requests, drops } = setUp([answer, answer, 200])
    sender.send(batch, false)
    await pass(clock, 10_000)
    expect(requests).toHaveLength(3)
    expect(drops).toEqual([])
    expect(sender.waitingBytes).toBe(0)
  },
)

test.each([400, 401, 403, 404, 413, 500, 501])("a batch is dropped after %s, and counted once", async (status) => {
  const { sender, batch, clock, requests, drops } = setUp([status])
  sender.send(batch, false)
  await pass(clock, 10_000)
  expect(requests).toHaveLength(1)
  expect(drops).toEqual([["send_error", 3]])
})

test("all attempts share one deadline, after which the drop is counted once", async () => {
  const { sender, batch, clock, requests, drops } = setUp(["network failure"])
  sender.send(batch, false)
  await pass(clock, DELIVERY_DEADLINE_MS * 2)
  expect(drops).toEqual([["network_error", 3]])
  expect(requests.length).toBeGreaterThan(5)
  expect(clock.pendingTimers).toBe(0)
})

test("Retry-After is obeyed", async () => {
  const { sender, batch, clock, requests } = setUp([{ status: 429, retryAfter: "12" }, 200])
  sender.send(batch, false)
  await pass(clock, 11_000)
  expect(requests).toHaveLength(1)
  await pass(clock, 2_000)
  expect(requests).toHaveLength(2)
})

test("a Retry-After beyond the deadline drops the batch at once", async () => {
  const { sender, batch, clock, drops } = setUp([{ status: 503, retryAfter: "3600" }])
  sender.send(batch, false)
  await pass(clock, 500)
  expect(drops).toEqual([["send_error", 3]])
})

test("a batch that waits for a retry is sent when the page unloads", async () => {
  const { sender, batch, clock, requests } = setUp([503, 200])
  sender.send(batch, false)
  await pass(clock, 250)
  sender.leave()
  expect(requests).toHaveLength(2)
  await pass(clock, 10_000)
  expect(requests).toHaveLength(2)
})

test("a cleared batch is not sent again", async () => {
  const { sender, batch, clock, requests } = setUp([503])
  sender.send(batch, false)
  await pass(clock, 250)
  sender.clear()
  await pass(clock, 10_000)
  expect(requests).toHaveLength(1)
})

test("a large batch is compressed, except while the page unloads", async () => {
  const { sender, clock, requests } = setUp([200])
  const body = new TextEncoder().encode("[1,2,3]".repeat(1_000))
  sender.send({ body, spans: 1 }, false)
  for (let turn = 0; turn < 50 && requests.length === 0; turn++) await sleep(5)
  sender.send({ body, spans: 1 }, true)
  await pass(clock, 250)
  expect(requests.map(({ headers }) => (headers as Record<string, string>)["content-encoding"])).toEqual([
    "gzip",
    undefined,
  ])
  expect(byteLength(requests[0]!.body)).toBeLessThan(500)
  expect(byteLength(requests[1]!.body)).toBe(body.length)
})

const LEAVING = { isLeaving: () => true, hasLeft: () => false }
type Native = typeof globalThis.fetch

test("requests with keepalive have a limit of 60 KiB, in bytes over all requests, and of 9 at a time", async () => {
  const budget = new KeepaliveBudget()
  const keptAlive: boolean[] = []
  const answers: (() => void)[] = []
  const native = (_url: unknown, init?: RequestInit) => {
    keptAlive.push(init?.keepalive === true)
    return new Promise<Response>((resolve) => answers.push(() => resolve(new Response())))
  }
  const fetch = budgetedFetch(native as Native, budget, LEAVING)
  // 20,000 characters of three bytes each.
  const sent = [fetch("/", { method: "POST", body: "日".repeat(20_000) })]
  expect(budget.room).toBe(60 * 1024 - 60_000)
  sent.push(fetch("/", { method: "POST", body: "x".repeat(2_000), keepalive: true }))
  expect(keptAlive).toEqual([true, false])
  for (let index = 0; index < 100; index++) sent.push(fetch("/", { method: "POST", body: "x" }))
  expect(keptAlive.filter(Boolean)).toHaveLength(9)
  for (const answer of answers) answer()
  await Promise.all(sent)
  expect(budget.room).toBe(60 * 1024)
})

test("a request frees its share after its response body is read or cancelled", async () => {
  const budget = new KeepaliveBudget()
  let roomAtCancel = 0
  const body = new ReadableStream({ cancel: () => void (roomAtCancel = budget.room) })
  const fetch = budgetedFetch(async () => new Response(body), budget, LEAVING)
  const response = await fetch("/", { method: "POST", body: "x".repeat(1_024) })
  expect([response.status, roomAtCancel, budget.room]).toEqual([200, 59 * 1024, 60 * 1024])
})

/** A network that rejects requests with `keepalive`. */
function withoutKeepalive(sent: boolean[]): Native {
  return async (_url, init) => {
    sent.push(init?.keepalive === true)
    if (init?.keepalive === true) throw new TypeError("Failed to fetch")
    return new Response()
  }
}

test("a page that is not unloading sends without keepalive, and uses none of its budget", async () => {
  const sent: boolean[] = []
  const budget = new KeepaliveBudget()
  const fetch = budgetedFetch(withoutKeepalive(sent), budget, { isLeaving: () => false, hasLeft: () => false })
  const sending = fetch("/", { method: "POST", body: "x", keepalive: true })
  expect(budget.room).toBe(60 * 1024)
  expect((await sending).status).toBe(200)
  expect(sent).toEqual([false])
})

test("a request that is rejected with keepalive is repeated without it, if the page is still there", async () => {
  const sent: boolean[] = []
  const budget = new KeepaliveBudget()
  const fetch = budgetedFetch(withoutKeepalive(sent), budget, LEAVING)
  expect((await fetch("/", { method: "POST", body: "x" })).status).toBe(200)
  expect([sent, budget.room]).toEqual([[true, false], 60 * 1024])
})

test("an unloaded page gets no result for what the browser still delivers", async () => {
  const sent: boolean[] = []
  const fetch = budgetedFetch(withoutKeepalive(sent), new KeepaliveBudget(), {
    isLeaving: () => true,
    hasLeft: () => true,
  })
  expect((await fetch("/", { method: "POST", body: "x" })).status).toBe(202)
  expect(sent).toEqual([true])
  const failing = budgetedFetch(() => Promise.reject(new TypeError("Failed to fetch")), new KeepaliveBudget(), LEAVING)
  await expect(failing("/", { method: "POST", body: "x".repeat(70_000) })).rejects.toThrow("Failed to fetch")
})
