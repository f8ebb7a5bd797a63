import { afterEach, describe, expect, test, vi } from "vitest"
import { stepsOf } from "#otel/inspector/queries/list/time-range.ts"
import { QueryCache } from "#otel/inspector/queries/query-cache.ts"
import type { ReceiverOptions } from "#otel/inspector/ingest/receiver.ts"
import { retentionClock, steadyClock } from "#otel/inspector/clocks.ts"
import { formatMoment } from "#app/_ui/format/time.ts"
import { secret } from "#otel/protocol/secret.ts"
import { answered, forwarder, spans } from "#tests/inspector/forward/forwarder-under-test.ts"
import { envelope, errorEvent, item } from "#tests/protocol/sentry/envelopes.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { post, startReceiver } from "#tests/inspector/ingest/receiver-under-test.ts"
import { spanRecords } from "#tests/inspector/ingest/span-records.ts"

/** Someone sets the machine's clock while the inspector runs, or it was off for long. */

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const JUMPS = [
  ["an hour back", -HOUR_MS],
  ["a day forward", DAY_MS],
] as const

/** A receiver by the machine's clock, which a test sets by changing `offset`. */
async function startWithClock(options: Partial<ReceiverOptions> = {}) {
  const clock = { offset: 0 }
  return { clock, ...(await startReceiver({ clock: () => Date.now() + clock.offset, batchMs: 20, ...options })) }
}

describe("with the clock set", () => {
  test.each(JUMPS)(
    "%s, records that wait are stored as soon as otherwise, and nothing is dropped",
    async (_name, jump) => {
      const { receiver, sink, clock } = await startWithClock()
      await receiver.ingest({ spans: spanRecords(3) })
      clock.offset += jump
      await sink.until((stored) => stored.spans.length === 3)
      await receiver.ingest({ spans: spanRecords(2, 10) })
      await sink.until((stored) => stored.spans.length === 5)
      expect(receiver.drops.totals()).toStrictEqual({})
    },
  )

  test("an hour back, the age of the oldest waiting record goes on from what it was", async () => {
    const clock = { now: 1_790_000_000_000 }
    const { receiver, sink } = await startReceiver({ clock: () => clock.now, batchMs: 0 })
    sink.isDown = true
    await receiver.ingest({ spans: spanRecords(1) })
    const ages = [5_000, -HOUR_MS, 1_000].map((step) => {
      clock.now += step
      return receiver.report().queue.oldestMs
    })
    expect(ages).toStrictEqual([5_000, 5_000, 6_000])
  })

  test("an hour back, a limit on guesses ends in its own time", async () => {
    const clock = { now: 1_790_000_000_000 }
    const { receiver } = await startReceiver({ token: secret("correcthorsebatterystaple"), clock: () => clock.now })
    const form = { "content-type": "application/x-www-form-urlencoded" }
    const guess = async (token: string) =>
      (await receiver.signIn.handler(post(`token=${token}`, form, "/sign-in"))).status
    for (let count = 0; count < 5; count += 1) expect(await guess("wrong")).toBe(401)
    expect(await guess("wrong")).toBe(429)
    clock.now -= HOUR_MS
    expect(await guess("wrong")).toBe(429)
    clock.now += 10_000
    expect(await guess("correcthorsebatterystaple")).toBe(200)
  })

  test("an hour back, a rate limit of Sentry ends in its own time", async () => {
    let wall = 1_790_000_000_000
    const { offer, sent, delivered, drops } = await forwarder(
      { otlp: [], sentry: secret("http://key@127.0.0.1:9/1"), now: () => wall },
      (_, attempt) => answered(200, attempt === 1 ? { "x-sentry-rate-limits": "60:error:org" } : {}),
    )
    const offerError = () => offer({ envelope: envelope({}, item("event", errorEvent())) })
    offerError()
    await waitFor("the first envelope", () => sent.length === 1)
    wall -= HOUR_MS
    offerError()
    await waitFor("the drop", () => drops.length === 1)
    wall += 61_000
    offerError()
    await waitFor("an envelope after the limit", () => delivered.length === 2)
    expect(drops).toMatchObject([{ reason: "ratelimit_backoff", count: 1 }])
  })

  test("a day forward, deliveries that wait for a collector do not expire", async () => {
    let wall = 1_790_000_000_000
    let isUp = false
    const { offer, delivered, dropped, sent } = await forwarder(
      { now: () => wall, elapsed: () => 0, maxAgeMs: DAY_MS },
      () => (isUp ? answered(200) : { outcome: "failed" }),
    )
    offer({ spans: spans(2) })
    await waitFor("an attempt", () => sent.length > 0)
    wall += DAY_MS + HOUR_MS
    isUp = true
    await waitFor("the delivery", () => delivered.length === 1)
    expect(dropped()).toStrictEqual([])
  })

  test("an hour back, a cached result is no older than otherwise", async () => {
    const elapsed = vi.spyOn(performance, "now").mockReturnValue(10_000)
    vi.useFakeTimers({ toFake: ["Date"], now: 1_790_000_000_000 })
    const cache = new QueryCache()
    let runs = 0
    const get = () => cache.get("key", async () => (runs += 1))
    expect(await get()).toBe(1)
    vi.setSystemTime(1_790_000_000_000 - HOUR_MS)
    elapsed.mockReturnValue(20_000)
    expect(await get()).toBe(2)
  })

  test("a clock for durations never runs backwards, and follows one that runs forwards", () => {
    let now = 1_000
    const steady = steadyClock(() => now)
    const seen = [0, 10, -500, 5, -5, 100, 86_400_000].map((step) => {
      now += step
      return steady()
    })
    expect(seen).toStrictEqual([1_000, 1_010, 1_010, 1_015, 1_015, 1_115, 86_401_115])
  })
})

describe("the clock of the retention", () => {
  /** What it shows after each step of the machine's clock, beside what really passed. */
  function shown(steps: readonly (readonly [clock: number, passed: number])[]): number[] {
    const start = 1_790_000_000_000
    let [wall, ticks] = [start, 5_000]
    const clock = retentionClock(
      () => wall,
      () => ticks,
    )
    return steps.map(([set, passed]) => {
      wall += set
      ticks += passed
      return clock() - start
    })
  }
  const minute = 60_000

  test("goes on from before, when the machine's clock is set a day forward, until it is set back", () => {
    const forward = shown([
      [minute, minute],
      [DAY_MS, 0],
      [minute, minute],
      [minute - DAY_MS, minute],
      [minute, minute],
    ])
    expect(forward).toStrictEqual([minute, minute, 2 * minute, 3 * minute, 4 * minute])
  })

  test("follows a clock that has been ahead for a day, one that is set back, and small corrections", () => {
    const ahead = [DAY_MS, 0] as const
    const hours = Array.from({ length: 24 }, () => [HOUR_MS, HOUR_MS] as const)
    expect(shown([ahead, ...hours]).at(-2)).toBe(23 * HOUR_MS)
    expect(shown([ahead, ...hours]).at(-1)).toBe(2 * DAY_MS)
    expect(shown([[-HOUR_MS, minute]])).toStrictEqual([-HOUR_MS])
    expect(shown([[6 * minute, minute]])).toStrictEqual([6 * minute])
  })

  test("does not doubt the time that the machine slept", () => {
    expect(shown([[30 * DAY_MS, 30 * DAY_MS]])).toStrictEqual([30 * DAY_MS])
  })
})

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

describe("a start after 30 days off", () => {
  test("stores what was acknowledged before, and forgets none of it", async () => {
    const first = await startWithClock({ drainLimitMs: 20 })
    first.sink.isDown = true
    await first.receiver.ingest({ spans: spanRecords(7) })
    await first.receiver.close()
    const later = () => Date.now() + 30 * DAY_MS
    const second = await startReceiver({ clock: later, journalDirectory: first.journalDirectory })
    await second.sink.until((stored) => stored.spans.length === 7)
    expect(second.receiver.drops.totals()).toStrictEqual({})
    await waitFor("an empty queue", () => second.receiver.report().queue.depth === 0)
  })

  test("counts deliveries that have expired meanwhile, and sends the others", async () => {
    const start = 1_790_000_000_000
    let isUp = false
    const given = { now: () => start, elapsed: () => 0, maxAgeMs: DAY_MS }
    const first = await forwarder(given, () => ({ outcome: "failed" }))
    first.offer({ spans: spans(3) })
    await waitFor("an attempt", () => first.sent.length > 0)
    await first.close()
    const later = { ...given, now: () => start + 30 * DAY_MS, directory: first.directory }
    const second = await forwarder(later, () => (isUp ? answered(200) : { outcome: "failed" }))
    await waitFor("the drop", () => second.drops.length === 1)
    expect(second.dropped()).toStrictEqual(["expired/span=3"])
    isUp = true
    second.offer({ spans: spans(1) })
    await waitFor("a new delivery", () => second.delivered.length === 1)
  })
})

describe("a change to or from daylight saving time", () => {
  /** Both changes of 2026 in Berlin: a day of 23 hours, and one of 25. */
  const DAYS = [Date.parse("2026-03-28T23:00:00Z"), Date.parse("2026-10-24T22:00:00Z")]

  test.each(DAYS)("leaves the steps of a chart equal, and its times unambiguous (%i)", (from) => {
    const texts = (zone: string) => {
      vi.stubEnv("TZ", zone)
      const { fromMs, stepMs, count } = stepsOf(from, from + DAY_MS)
      const times = Array.from({ length: count }, (_, step) =>
        formatMoment(BigInt(fromMs + step * stepMs) * 1_000_000n),
      )
      return { times, offsets: new Set(times.map((time) => new Date(Date.parse(time)).getTimezoneOffset())).size }
    }
    const [berlin, utc] = [texts("Europe/Berlin"), texts("UTC")]
    expect([berlin.offsets, utc.offsets]).toStrictEqual([2, 1])
    expect(berlin.times).toStrictEqual(utc.times)
    expect(new Set(berlin.times).size).toBe(berlin.times.length)
  })
})
