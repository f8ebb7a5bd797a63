import { expect, test } from "vitest"
import { StartBackoff } from "#otel/inspector/store/start-backoff.ts"

function backoffAt(random: number) {
  const clock = { now: 0 }
  return { clock, backoff: new StartBackoff({ now: () => clock.now, random: () => random }) }
}

test("waits double from 250 ms to 10 s", () => {
  const { backoff } = backoffAt(0)
  const waits = Array.from({ length: 8 }, () => backoff.failed())
  expect(waits).toStrictEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000])
})

test("jitter shortens a wait by up to a half", () => {
  expect(backoffAt(0.5).backoff.failed()).toBe(187.5)
  expect(backoffAt(1).backoff.failed()).toBe(125)
})

test("after a minute of uptime the waits start again, and not before", () => {
  const { clock, backoff } = backoffAt(0)
  backoff.failed()
  backoff.succeeded()
  clock.now += 59_999
  expect(backoff.failed()).toBe(500)
  backoff.succeeded()
  clock.now += 60_000
  expect(backoff.failed()).toBe(250)
})
