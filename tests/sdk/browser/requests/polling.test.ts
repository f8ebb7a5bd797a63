import { expect, test } from "vitest"
import { Rhythm, Rhythms } from "#otel/sdk/browser/requests/polling.ts"

/** The start and the duration of a request, in milliseconds. */
type Request = readonly [at: number, takes: number]

/** For each request, whether it is polling. */
function verdictsOf(requests: readonly Request[]): boolean[] {
  const rhythm = new Rhythm()
  const ends: number[] = []
  return requests.map(([at, takes]) => {
    for (const end of ends.splice(0)) {
      if (end > at) ends.push(end)
      else {
        rhythm.answered()
        rhythm.ended(end, true)
      }
    }
    ends.push(at + takes)
    return rhythm.started(at)
  })
}

const firstPolling = (requests: readonly Request[]) => verdictsOf(requests).indexOf(true)

const every = (ms: number, takes: number, count = 40): Request[] =>
  Array.from({ length: count }, (_, index) => [index * ms, takes])

/** Each starts after the previous one has ended, and a pause. */
function afterEachOther(pauses: readonly number[], takes: (index: number) => number): Request[] {
  let at = 0
  return [0, ...pauses].map((pause, index) => {
    at += pause
    const request = [at, takes(index)] as const
    at += takes(index)
    return request
  })
}
const repeated = (pause: number, count: number) => Array.from({ length: count }, () => pause)

test.each([
  ["every 200 ms", every(200, 5)],
  ["every 500 ms", every(500, 40)],
  ["every second", every(1_000, 900)],
  ["every 5 s", every(5_000, 40)],
  ["every 500 ms, though each takes longer", every(500, 700)],
  [
    "every 500 ms, three at a time",
    every(500, 40).flatMap(([at, takes]) => [0, 2, 4].map((by) => [at + by, takes] as const)),
  ],
  [
    "every second, on a page that runs its timers late",
    every(1_000, 40).map(([at, takes], index) => [at + (index % 3) * 50, takes] as const),
  ],
  [
    "200 ms after each response, however long that takes",
    afterEachOther(repeated(200, 40), (index) => 20 + ((index * 137) % 400)),
  ],
])("a request is polling after its first four intervals: %s", (_, requests) => {
  const verdicts = verdictsOf(requests)
  // Requests that start together have the same result.
  const ticks = requests.filter(([at], index) => index === 0 || at - requests[index - 1]![0] >= 100)
  const isPolling = ticks.map(([at]) => verdicts[requests.findIndex(([other]) => other === at)])
  expect(isPolling.slice(0, 4)).toEqual([false, false, false, false])
  expect(isPolling.slice(4).every(Boolean)).toBe(true)
})

test.each([
  ["consecutive and equally fast", afterEachOther(repeated(0, 200), () => 100)],
  ["consecutive and slow", afterEachOther(repeated(20, 20), () => 1_500)],
  ["consecutive, on a slow phone", afterEachOther(repeated(90, 20), () => 60)],
  ["all at once", every(0, 300, 200)],
  ["a few at a time", Array.from({ length: 60 }, (_, index): Request => [Math.floor(index / 4) * 150, 150])],
  ["three retries at a fixed delay", afterEachOther(repeated(500, 3), () => 50)],
  ["retries that back off by two", afterEachOther([100, 200, 400, 800, 1_600, 3_200, 6_400], () => 30)],
  ["retries that back off by a half", afterEachOther([200, 300, 450, 675, 1_012, 1_518], () => 30)],
  ["pages of a list that a visitor scrolls through", afterEachOther([650, 310, 1_200, 480, 900, 260, 740], () => 80)],
  ["saving from time to time", afterEachOther([31_000, 28_000, 34_500, 30_100, 26_000, 33_000], () => 80)],
])("a request is not polling: %s", (_, requests) => {
  expect(firstPolling(requests)).toBe(-1)
})

test("a long poll is polling from the third request on", () => {
  expect(firstPolling(afterEachOther(repeated(0, 5), () => 10_000))).toBe(2)
  expect(firstPolling(afterEachOther(repeated(5, 5), (index) => 6_000 + 2_000 * index))).toBe(2)
  // Two slow queries are not polling.
  expect(firstPolling(afterEachOther([10, 10, 10], (index) => (index < 1 ? 6_000 : 200)))).toBe(-1)
})

test("a request that starts before the previous body has ended does not count as polling", () => {
  const rhythm = new Rhythm()
  const verdicts = Array.from({ length: 20 }, (_, index) => {
    const isPolling = rhythm.started(index * 400)
    rhythm.answered()
    // The browser reports the end of a body only after the next request has started.
    if (index > 0) rhythm.ended(index * 400, true)
    return isPolling
  })
  expect(verdicts).not.toContain(true)
})

test("polling with a new interval is polling once the interval has recurred as often", () => {
  const slow = every(1_000, 20, 8)
  const fast = every(300, 20, 10).map(([at, takes]): Request => [8_000 + at, takes])
  const verdicts = verdictsOf([...slow, ...fast])
  expect(verdicts.slice(0, 9)).toEqual([false, false, false, false, true, true, true, true, true])
  expect(verdicts.slice(9)).toEqual([false, false, false, true, true, true, true, true, true])
})

test("rhythms are stored by URL, at most 256", () => {
  const rhythms = new Rhythms()
  const polled = rhythms.of("polled")
  for (let index = 0; index < 255; index++) rhythms.of(`address ${index}`)
  expect(rhythms.of("polled")).toBe(polled)
  const first = rhythms.of("address 0")
  rhythms.of("one more")
  rhythms.of("and another")
  expect(rhythms.of("polled")).toBe(polled)
  expect(rhythms.of("address 0")).toBe(first)
  expect(rhythms.of("address 1")).not.toBe(undefined)
  for (let index = 0; index < 256; index++) rhythms.of(`new ${index}`)
  expect(rhythms.of("polled")).not.toBe(polled)
})
