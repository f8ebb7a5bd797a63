import { expect, test } from "vitest"
import { Backoff } from "#otel/inspector/store/backoff.ts"

function backoffAt(random: number) {
  const clock = { now: 0 }
  return { clock, backoff: new Backoff({ now: () => clock.now, random: () => random }) }
}

test("waits double from 250 ms to 10 s", () => {
  const { backoff } = backoffAt(0)
  const waits = Array.from({ length: 8 }, () => backoff.next())
  expect(waits).toStrictEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000])
})

test("jitter shortens a wait by up to a half", () => {
  expect(backoffAt(0.5).backoff.next()).toBe(187.5)
  expect(backoffAt(1).backoff.next()).toBe(125)
})

test("after a minute of uptime the waits start again, and not before", () => {
  const { clock, backoff } = backoffAt(0)
  backoff.next()
  backoff.up()
  clock.now += 59_999
  expect(backoff.next()).toBe(500)
  backoff.up()
  clock.now += 60_000
  expect(backoff.next()).toBe(250)
})
