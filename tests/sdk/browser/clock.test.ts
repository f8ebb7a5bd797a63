import { afterEach, beforeEach, expect, test, vi } from "vitest"

const HOUR_MS = 60 * 60 * 1_000
const OPENED_AT = 1_795_197_507_934

/** The page's timeline and the system clock, which a test moves. */
const machine = { timeline: 0, system: 0 }

beforeEach(() => {
  Object.assign(machine, { timeline: 5_000, system: OPENED_AT + 5_000 })
  vi.spyOn(performance, "now").mockImplementation(() => machine.timeline)
  vi.spyOn(Date, "now").mockImplementation(() => machine.system)
})
afterEach(() => vi.restoreAllMocks())

/** The clock of a page that has just been opened. */
async function openedClock(timeOrigin: () => number = () => OPENED_AT) {
  vi.spyOn(performance, "timeOrigin", "get").mockImplementation(timeOrigin)
  vi.resetModules()
  const clock = await import("#otel/sdk/browser/clock.ts")
  clock.followSystemClock(-Infinity)
  return clock
}

function wait(milliseconds: number): void {
  machine.timeline += milliseconds
  machine.system += milliseconds
}

test("times are those of the page's time origin, to the microsecond", async () => {
  const { epochTime, followSystemClock, pageClock } = await openedClock(() => OPENED_AT + 0.25)
  wait(10.5)
  followSystemClock()
  expect(pageClock.now()).toBe(OPENED_AT + 0.25 + 5_010.5)
  expect(epochTime(0)).toBe(OPENED_AT + 0.25)
})

const changes = [
  ["a sleep of eight hours", 8 * HOUR_MS],
  ["a clock that is set back by an hour", -HOUR_MS],
  ["a clock that has drifted by half a second", 500],
] as const

test.each(changes)("after %s, times follow the system, and earlier times stay", async (_what, change) => {
  const { currentOrigin, epochTime, followSystemClock, pageClock } = await openedClock()
  wait(60_000)
  machine.system += change
  // Not before it is asked to: a root may be open.
  expect(pageClock.now()).toBe(OPENED_AT + 65_000)
  const clickedAt = machine.timeline
  wait(20)
  followSystemClock()
  expect(pageClock.now()).toBe(machine.system)
  expect(currentOrigin()).toBe(OPENED_AT + change)
  expect(epochTime(clickedAt)).toBe(machine.system - 20)
  expect([epochTime(0), epochTime(60_000)]).toEqual([OPENED_AT, OPENED_AT + 60_000])
  wait(1_000)
  expect(pageClock.now()).toBe(machine.system)
})

test("a clock that is slewed by a little changes nothing", async () => {
  const { followSystemClock, pageClock } = await openedClock()
  for (const drift of [-300, 1, 299]) {
    machine.system = OPENED_AT + machine.timeline + drift
    followSystemClock()
    expect(pageClock.now()).toBe(OPENED_AT + machine.timeline)
  }
})

test.each([
  [
    "throws",
    () => {
      throw new TypeError("not here")
    },
  ],
  ["is missing", () => undefined as unknown as number],
  ["is that of a process that was asleep", () => OPENED_AT - HOUR_MS],
])("where the page's time origin %s, the system clock replaces it", async (_what, timeOrigin) => {
  const { epochTime, pageClock } = await openedClock(timeOrigin)
  expect(pageClock.now()).toBe(machine.system)
  expect(epochTime(0)).toBe(OPENED_AT)
})

test("a system clock that is no number changes nothing, and one that jumps all the time costs no memory", async () => {
  const { currentOrigin, epochTime, followSystemClock } = await openedClock()
  machine.system = Number.NaN
  followSystemClock()
  expect(currentOrigin()).toBe(OPENED_AT)
  for (let change = 1; change <= 1_000; change++) {
    wait(10_000)
    machine.system = OPENED_AT + machine.timeline + change * 1_000
    followSystemClock()
  }
  expect(currentOrigin()).toBe(OPENED_AT + 1_000_000)
  expect(epochTime(0)).toBe(OPENED_AT)
  // The oldest changes but the first are forgotten.
  expect(epochTime(5_000 + 970 * 10_000 - 500)).toBe(OPENED_AT + 970_000 + 5_000 + 970 * 10_000 - 500)
  expect(epochTime(5_000 + 500 * 10_000)).toBe(OPENED_AT + 5_000 + 500 * 10_000)
  expect(Number.isNaN(epochTime(Number.NaN))).toBe(true)
})
